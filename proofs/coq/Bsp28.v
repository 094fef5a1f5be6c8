(* bsp-2.8: the stages of F_N in phases, each Gamma_u^-1 (block diagonal stages) Gamma_u, u = min(p, n^J), for every number of phases.

   n = N/p = 2^m, m = a + e, p = 2^(g m + a): g + 1 phases of m stages and a last one of a stages. *)

From Nodewright Require Import Bsp22.

Section Phases.
Variable R : CRing.
Add Ring R : (laws R).

(* Gamma_{u,p,N} = I_r ⊗ S_{u,nu} and its inverse; the I_r is as large as the order of the product in which it stands asks for. *)
Definition gamma (u n : nat) : mat R := kron (u * n) Id (Sh u n).
Definition gamma_inverse (u n : nat) : mat R := kron (u * n) Id (Sh n u).
(* I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), k = 2 h, n = k c, blocks of order n; v stands for w_{ku}. *)
Definition hat (u h c : nat) (v : R) : mat R :=
  kron (u * (c * (2 * h))) Id (blocks (c * (2 * h)) (fun s => kron (2 * h) Id (butterfly h (pow v u) (pow v s)))).

Lemma Sh_inverse u n : meq (u * n) (mmul (u * n) (Sh n u) (Sh u n)) (@Id R).
Proof.
  intros i j Hi Hj. rewrite Sh_mmul by lia. unfold Sh, Id.
  destruct (Nat.eqb_spec (shuffle u n i) (shuffle u n j)) as [E|N]; destruct (Nat.eqb_spec i j) as [E'|N']; try reflexivity.
  - elim N'. rewrite <- (shuffle_back u n i), <- (shuffle_back u n j) by lia. now rewrite E.
  - elim N. now rewrite E'.
Qed.

Lemma butterfly_meq h (w y z : R) : y = z -> meq (2 * h) (butterfly h w y) (butterfly h w z).
Proof. intros ->. apply meq_refl. Qed.

Lemma blocks_meq p q (f f' : nat -> mat R) : (forall s, meq q (f s) (f' s)) -> meq (p * q) (blocks q f) (blocks q f').
Proof.
  intros E i j Hi Hj. unfold blocks. assert (q <> 0) by (intro; subst; lia).
  destruct (Nat.eqb_spec (i / q) (j / q)); [|reflexivity]. apply E; now apply Nat.mod_upper_bound.
Qed.

(* A_{ku} = Gamma_u^-1 (I_r ⊗ diag(...)) Gamma_u *)
Lemma stage_in_groups (r u h c : nat) (v : R) : h <> 0 -> u <> 0 -> c <> 0 ->
  let n := c * (2 * h) in
  meq (r * (u * n)) (kron (2 * (h * u)) Id (butterfly (h * u) v (one R)))
    (mmul (r * (u * n)) (gamma_inverse u n) (mmul (r * (u * n)) (hat u h c v) (gamma u n))).
Proof.
  intros Hh Hu Hc n. set (X := kron (2 * (h * u)) Id (butterfly (h * u) v (one R))).
  assert (Hun : u * n <> 0) by (unfold n; nia).
  eapply meq_trans with (kron (u * n) Id X).
  { intros i j _ _. unfold X. replace (u * n) with (c * (2 * (h * u))) by (unfold n; lia).
    rewrite (kron_assoc R) by nia. unfold kron at 1 2. f_equal. symmetry. now apply kron_Id. }
  set (Y := blocks n (fun s => kron (2 * h) Id (butterfly h (pow v u) (pow v s)))).
  (* X = S^-1 Y S *)
  assert (E : meq (u * n) X (mmul (u * n) (Sh n u) (mmul (u * n) Y (Sh u n)))).
  { apply meq_sym. eapply meq_trans.
    { apply mmul_meq; [apply meq_refl|]. apply mmul_meq; [|apply meq_refl]. apply meq_sym. eapply meq_trans.
      - apply (bsp_theorem_2_2 R u h c v (one R) Hh).
      - apply blocks_meq. intros s i j _ _. replace (times R (pow v s) (one R)) with (pow v s) by ring. reflexivity. }
    fold n X.
    eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply mmul_assoc]. }
    eapply meq_trans; [apply meq_sym, mmul_assoc|].
    eapply meq_trans. { apply mmul_meq; [apply Sh_inverse|apply mmul_assoc]. }
    eapply meq_trans; [apply Id_mmul|].
    eapply meq_trans. { apply mmul_meq; [apply meq_refl|]. apply Sh_inverse. }
    apply mmul_Id. }
  eapply meq_trans. { apply kron_meq; [apply meq_refl|exact E]. }
  apply meq_sym. eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply kron_mmul]. }
  eapply meq_trans; [apply kron_mmul|]. apply kron_meq; [|apply meq_refl].
  eapply meq_trans; [apply Id_mmul|]. apply Id_mmul.
Qed.

Lemma gamma_cancels (r u n : nat) : u * n <> 0 -> meq (r * (u * n)) (mmul (r * (u * n)) (gamma_inverse u n) (gamma u n)) Id.
Proof.
  intro H. eapply meq_trans; [apply kron_mmul|]. eapply meq_trans. { apply kron_meq; [apply Id_mmul|apply Sh_inverse]. }
  intros i j _ _. now apply kron_Id.
Qed.

Lemma gamma_cancels' (r u n : nat) : u * n <> 0 -> meq (r * (u * n)) (mmul (r * (u * n)) (gamma u n) (gamma_inverse u n)) Id.
Proof.
  intro H. eapply meq_trans; [apply kron_mmul|].
  eapply meq_trans. { apply kron_meq; [apply Id_mmul|]. rewrite Nat.mul_comm. apply Sh_inverse. }
  intros i j _ _. now apply kron_Id.
Qed.

(* Products *)

Lemma Pi_meq d (f f' : nat -> nat -> mat R) n : (forall k l, k + S l = n -> meq d (f k l) (f' k l)) ->
  forall c l, c + l = n -> meq d (Pi d c l f) (Pi d c l f').
Proof. intro E. induction c; intros l H; simpl; [apply meq_refl|]. apply mmul_meq; [apply E|apply IHc]; lia. Qed.

Lemma Pi_shift d c x (f : nat -> nat -> mat R) : forall l, Pi d c (x + l) f = Pi d c l (fun k l => f k (x + l)).
Proof. induction c; intro l; simpl; [reflexivity|]. now rewrite <- Nat.add_succ_r, IHc. Qed.

Lemma Pi_split d (f : nat -> nat -> mat R) y : forall x l,
  meq d (Pi d (x + y) l f) (mmul d (Pi d x l (fun k l => f (k + y) l)) (Pi d y (x + l) f)).
Proof.
  induction x; intro l; simpl.
  - apply meq_sym, Id_mmul.
  - eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply IHx]. } rewrite Nat.add_succ_r. apply meq_sym, mmul_assoc.
Qed.

Lemma Pi_grouped d (f : nat -> nat -> mat R) m b : forall c L,
  meq d (Pi d (c * m) (L * m + b) f) (Pi d c L (fun J K => Pi d m (K * m + b) (fun k l => f (k + J * m) l))).
Proof.
  induction c; intro L; simpl; [apply meq_refl|].
  eapply meq_trans; [apply Pi_split|]. apply mmul_meq; [apply meq_refl|].
  replace (m + (L * m + b)) with (S L * m + b) by (cbn; lia). apply IHc.
Qed.

(* (V f(k) U) (V f(k-1) U) ... = V f(k) f(k-1) ... U where U V = I = V U *)
Lemma Pi_between d (U V : mat R) (f : nat -> nat -> mat R) : meq d (mmul d V U) Id -> meq d (mmul d U V) Id ->
  forall c l, meq d (Pi d c l (fun k l => mmul d V (mmul d (f k l) U))) (mmul d V (mmul d (Pi d c l f) U)).
Proof.
  intros HVU HUV. induction c; intro l; simpl.
  - apply meq_sym. eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply Id_mmul]. } exact HVU.
  - eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply IHc]. }
    eapply meq_trans; [apply mmul_assoc|]. apply mmul_meq; [apply meq_refl|].
    eapply meq_trans; [apply mmul_assoc|]. eapply meq_trans; [|apply meq_sym, mmul_assoc]. apply mmul_meq; [apply meq_refl|].
    eapply meq_trans; [apply meq_sym, mmul_assoc|]. eapply meq_trans. { apply mmul_meq; [exact HUV|apply meq_refl]. } apply Id_mmul.
Qed.

Lemma iterate_power (w : R) : forall l, iterate (fun w => times R w w) l w = pow w (2 ^ l).
Proof.
  intro l. revert w. induction l; intro w; cbn [iterate]; [simpl; ring|]. rewrite IHl, pow_times, <- pow_add. f_equal. cbn. lia.
Qed.

(* Stages x + c - 1, ..., x of F_{2^t}, y + c + x = t, as one phase. *)
Lemma one_phase (w : R) (t x c y q s : nat) : y + c + x = t -> x = s + q ->
  let u := 2 ^ s in let n := 2 ^ (q + c) in
  meq (2 ^ t)
    (Pi (2 ^ t) c y (fun k l => stage (fun w => times R w w) (fun k w => butterfly (2 ^ k) w (one R)) w (k + x) l))
    (mmul (2 ^ t) (gamma_inverse u n)
      (mmul (2 ^ t) (Pi (2 ^ t) c 0 (fun k l => hat u (2 ^ (k + q)) (2 ^ l) (pow w (2 ^ (y + l))))) (gamma u n))).
Proof.
  intros E Ex u n. rewrite <- (Nat.add_0_r y) at 1. rewrite Pi_shift.
  assert (T : 2 ^ t = 2 ^ y * (u * n)). { unfold u, n. rewrite <- !Nat.pow_add_r. f_equal. lia. }
  assert (Hun : u * n <> 0). { unfold u, n. pose proof (two_power s). pose proof (two_power (q + c)). nia. }
  eapply meq_trans with (Pi (2 ^ t) c 0 (fun k l => mmul (2 ^ t) (gamma_inverse u n)
    (mmul (2 ^ t) (hat u (2 ^ (k + q)) (2 ^ l) (pow w (2 ^ (y + l)))) (gamma u n)))).
  - apply (Pi_meq (2 ^ t) _ _ c); [|lia]. intros k l Hkl. unfold stage. rewrite iterate_power.
    assert (En : n = 2 ^ l * (2 * 2 ^ (k + q))). { unfold n. rewrite <- Nat.pow_succ_r', <- Nat.pow_add_r. f_equal. lia. }
    assert (Eh : 2 ^ (k + x) = 2 ^ (k + q) * u). { unfold u. rewrite <- Nat.pow_add_r. f_equal. lia. }
    rewrite T, Eh, En. apply (stage_in_groups (2 ^ y) u (2 ^ (k + q)) (2 ^ l)); apply two_power.
  - rewrite T. apply Pi_between; [now apply gamma_cancels|now apply gamma_cancels'].
Qed.

Theorem bsp_2_8 (a e g : nat) (w : R) :
  let m := a + e in let t := a + (g + 1) * m in let n := 2 ^ m in let p := 2 ^ (g * m + a) in let N := 2 ^ t in
  root t w ->
  meq N (F w)
    (mmul N
      (mmul N (gamma_inverse p n) (mmul N (Pi N a 0 (fun k l => hat p (2 ^ (k + e)) (2 ^ l) (pow w (2 ^ l)))) (gamma p n)))
    (mmul N
      (Pi N (g + 1) 0 (fun J K => let u := 2 ^ (J * m) in
        mmul N (gamma_inverse u n) (mmul N (Pi N m 0 (fun k l => hat u (2 ^ k) (2 ^ l) (pow w (2 ^ (K * m + a + l))))) (gamma u n))))
      (reversal t))).
Proof.
  intros m t n p N Hw. eapply meq_trans; [apply (bsp_1_6 R t w Hw)|]. eapply meq_trans; [|apply mmul_assoc].
  apply mmul_meq; [|apply meq_refl]. unfold fourier_stages, stages. unfold t at 2.
  eapply meq_trans; [apply Pi_split|]. apply mmul_meq.
  - pose proof (one_phase w t ((g + 1) * m) a 0 e (g * m + a)) as P. cbv zeta in P.
    replace (2 ^ (e + a)) with n in P by (unfold n, m; f_equal; lia). apply P; unfold t, m; lia.
  - replace (a + 0) with (0 * m + a) by lia. eapply meq_trans; [apply Pi_grouped|].
    apply (Pi_meq N _ _ (g + 1)); [|lia]. intros J K HJ. cbv zeta.
    eapply meq_trans. { apply (one_phase w t (J * m) m (K * m + a) 0 (J * m)); [|lia].
      unfold t. replace (g + 1) with (J + S K) by lia. lia. }
    rewrite Nat.add_0_l. fold n N.
    apply mmul_meq; [apply meq_refl|]. apply mmul_meq; [|apply meq_refl].
    apply (Pi_meq N _ _ m); [|lia]. intros k l _. rewrite Nat.add_0_r. apply meq_refl.
Qed.
End Phases.

Print Assumptions bsp_2_8.
