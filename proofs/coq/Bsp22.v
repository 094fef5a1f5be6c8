(* bsp-theorem-2.2: S_{u,M} A_{ku,M}^alpha S_{u,M}^-1 = diag(A_{k,n}^{alpha/u}, ..., A_{k,n}^{(alpha+u-1)/u}), k = 2 h, n = k c, M = n u.

   For every commutative ring, every w in place of w_{ku} and every z in place of w_{ku}^alpha. *)

From Nodewright Require Export Bsp16.

Section Theorem22.
Variable R : CRing.
Add Ring R : (laws R).

Lemma butterfly_entry h (w z : R) i k : k < 2 * h -> butterfly h w z i k =
  times R (times R (pow (opp R (one R)) (i / h * (k / h))) (Id (i mod h) (k mod h))) (pow (times R (pow w (k mod h)) z) (k / h)).
Proof. intro Hk. unfold butterfly. now rewrite mmul_diagonal. Qed.

Lemma Id_eq (a b : nat) : @Id R a b = if Nat.eqb a b then one R else zero R.
Proof. reflexivity. Qed.

Lemma Id_lin u a b a' b' : b < u -> b' < u -> @Id R (a * u + b) (a' * u + b') = times R (Id b b') (Id a a').
Proof.
  intros Hb Hb'. rewrite !Id_eq. destruct (Nat.eqb_spec (a * u + b) (a' * u + b')) as [E|N].
  - assert (a = a') by (rewrite <- (div_lin a b u), E, div_lin; auto). assert (b = b') by (rewrite <- (mod_lin a b u), E, mod_lin; auto).
    subst. rewrite !Nat.eqb_refl. ring.
  - destruct (Nat.eqb_spec b b') as [->|]; [|ring]. destruct (Nat.eqb_spec a a') as [->|]; [|ring]. now elim N.
Qed.

Lemma div_scaled b a h u : a < u -> (b * u + a) / (h * u) = b / h.
Proof.
  intro Ha. destruct (Nat.eq_dec h 0) as [->|Hh]; [reflexivity|].
  rewrite (Nat.mul_comm h u), <- Nat.div_div by lia. now rewrite div_lin.
Qed.

Lemma mod_scaled b a h u : h <> 0 -> a < u -> (b * u + a) mod (h * u) = b mod h * u + a.
Proof.
  intros Hh Ha. rewrite (Nat.mul_comm h u), Nat.mod_mul_r by lia. rewrite div_lin, mod_lin by assumption. lia.
Qed.

Theorem bsp_theorem_2_2 (u h c : nat) (w z : R) : h <> 0 ->
  meq (u * (c * (2 * h)))
    (mmul (u * (c * (2 * h))) (Sh u (c * (2 * h)))
    (mmul (u * (c * (2 * h))) (kron (2 * (h * u)) Id (butterfly (h * u) w z)) (Sh (c * (2 * h)) u)))
    (blocks (c * (2 * h)) (fun s => kron (2 * h) Id (butterfly h (pow w u) (times R (pow w s) z)))).
Proof.
  intros Hh i j Hi Hj. set (n := c * (2 * h)) in *. rewrite Sh_mmul by auto. rewrite mmul_Sh by (lia || assumption).
  destruct (digits i u n Hi) as (a & b & Ha & Hb & ->). destruct (digits j u n Hj) as (a' & b' & Ha' & Hb' & ->).
  unfold shuffle, blocks. rewrite (div_lin a b n), (mod_lin a b n), (div_lin a' b' n), (mod_lin a' b' n) by assumption.
  unfold kron. replace (2 * (h * u)) with (2 * h * u) by lia. rewrite !div_scaled, !mod_scaled by (lia || assumption).
  assert (b mod (2 * h) < 2 * h /\ b' mod (2 * h) < 2 * h) as [Hm Hm'] by (split; apply Nat.mod_upper_bound; lia).
  set (m := b mod (2 * h)) in *. set (m' := b' mod (2 * h)) in *.
  assert (m' * u + a' < 2 * (h * u)) by nia. rewrite !butterfly_entry by assumption.
  rewrite !div_scaled, !mod_scaled by assumption. rewrite Id_lin by assumption.
  destruct (Nat.eqb_spec a a') as [->|N].
  - rewrite (Id_eq a' a'), Nat.eqb_refl. rewrite pow_add, (Nat.mul_comm _ u), (pow_mul R w u).
    replace (times R (times R (pow (pow w u) (m' mod h)) (pow w a')) z) with (times R (pow (pow w u) (m' mod h)) (times R (pow w a') z)) by ring.
    ring.
  - rewrite (Id_eq a a'), (proj2 (Nat.eqb_neq a a')) by assumption. ring.
Qed.
End Theorem22.

Print Assumptions bsp_theorem_2_2.
