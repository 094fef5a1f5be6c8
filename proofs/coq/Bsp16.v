(* bsp-1.6: F_N = A_{N,N} ... A_{4,N} A_{2,N} P_N for N = 2^n, every commutative ring and every w with w^(N/2) = -1. *)

From Nodewright Require Export Decimation.

Section Butterflies.
Variable R : CRing.
Add Ring R : (laws R).
Declare Scope ring_scope.
Notation "0" := (zero R) : ring_scope. Notation "1" := (one R) : ring_scope.
Infix "+" := (plus R) : ring_scope. Infix "*" := (times R) : ring_scope. Notation "- x" := (opp R x) : ring_scope.
Local Open Scope ring_scope.

Lemma even_sign n : pow (- (1)) (2 * n) = 1.
Proof. rewrite pow_mul. replace (pow (- (1)) 2) with 1 by (simpl; ring). apply pow_one. Qed.

(* F_2 ⊗ I_h adds and subtracts the halves. *)
Lemma halves_sum h (M : mat R) i j : (i < 2 * h)%nat ->
  mmul (2 * h) (kron h (F (- (1))) Id) M i j = M (i mod h) j + pow (- (1)) (i / h) * M (h + i mod h)%nat j.
Proof.
  intro Hi. destruct (digits i 2 h Hi) as (e & u & He & Hu & ->). rewrite div_lin, mod_lin by assumption.
  unfold mmul. rewrite sum_digits. cbn [sum]. rewrite !(sum_pick R h u) by first
    [ assumption | intros k Hk Hn; unfold kron, Id; rewrite (mod_lin e u h), mod_lin by assumption; rewrite (proj2 (Nat.eqb_neq u k)) by lia; ring ].
  unfold kron, F, Id. rewrite (div_lin e u h), (mod_lin e u h), !div_lin, !mod_lin, !Nat.eqb_refl by assumption.
  rewrite Nat.mul_0_r, Nat.mul_1_r, Nat.mul_1_l. simpl. ring.
Qed.

(* B_2h^alpha = (F_2 ⊗ I_h) diag(I_h, w^(j + alpha)), w = w_2h and z = w^alpha. *)
Definition butterfly (h : nat) (w z : R) : mat R :=
  mmul (2 * h) (kron h (F (- (1))) Id) (diagonal (fun k => pow (pow w (k mod h) * z) (k / h))).

Lemma butterfly_sum h w z (M : mat R) i j : (i < 2 * h)%nat -> (j < 2 * h)%nat ->
  mmul (2 * h) (butterfly h w z) M i j = M (i mod h) j + pow (- (1)) (i / h) * (pow w (i mod h) * z) * M (h + i mod h)%nat j.
Proof.
  intros Hi Hj. unfold butterfly. rewrite mmul_assoc, halves_sum by assumption.
  destruct (digits i 2 h Hi) as (e & u & He & Hu & ->). rewrite div_lin, mod_lin by assumption.
  rewrite !diagonal_mmul by lia. rewrite Nat.div_small, Nat.mod_small by assumption.
  replace (h + u)%nat with (1 * h + u)%nat by lia. rewrite div_lin, mod_lin by assumption. simpl. ring.
Qed.

(* F_2h = B_2h (I_2 ⊗ F_h) S_{2,2h} *)
Lemma fourier_step h w : pow w h = - (1) ->
  meq (2 * h) (F w) (mmul (2 * h) (butterfly h w 1) (mmul (2 * h) (kron h Id (F (w * w))) (Sh 2 h))).
Proof.
  intros root i j Hi Hj. rewrite butterfly_sum by assumption. rewrite !mmul_Sh by auto.
  destruct (digits i 2 h Hi) as (e & u & He & Hu & ->). rewrite Nat.mul_comm in Hj. destruct (digits j h 2 Hj) as (a & b & Ha & Hb & ->).
  unfold kron, shuffle, F, Id. rewrite (div_lin a b 2), (mod_lin a b 2), (div_lin e u h), (mod_lin e u h) by assumption.
  rewrite (div_lin b a h), (mod_lin b a h), (Nat.div_small u h), (Nat.mod_small u h) by assumption.
  replace (h + u)%nat with (1 * h + u)%nat by lia. rewrite (div_lin 1 u h), (mod_lin 1 u h) by assumption.
  replace ((e * h + u) * (a * 2 + b))%nat with (h * (2 * (e * a)) + (h * (e * b) + (u * b + (u * a + u * a))))%nat by lia.
  rewrite !pow_add, !(pow_mul R w h), root, even_sign, pow_times.
  destruct b as [|[|b]]; [| |lia]; rewrite ?Nat.mul_0_r, ?Nat.mul_1_r; simpl; ring.
Qed.

(* w is a root of unity as exp(2 pi i/2^n). *)
Definition root (n : nat) (w : R) : Prop := match n with O => w = 1 | S m => pow w (2 ^ m) = - (1) end.

Lemma root_square n w : root (S n) w -> root n (w * w).
Proof.
  intro H. destruct n as [|m]; cbn in *.
  - replace w with (- (1)) by (rewrite <- H; ring). ring.
  - rewrite pow_times, <- pow_add. rewrite Nat.add_0_r in H. exact H.
Qed.

(* A_{2^(k+1),N} = I_{2^l} ⊗ B_{2^(k+1)}, whose root of unity is w^(2^l). *)
Definition fourier_stages (n : nat) (w : R) : mat R := stages (fun w => w * w) (fun k w => butterfly (2 ^ k) w 1) n w.

Theorem bsp_1_6 (n : nat) (w : R) : root n w ->
  meq (2 ^ n) (F w) (mmul (2 ^ n) (fourier_stages n w) (reversal n)).
Proof.
  apply (decimation R R (fun w => w * w) (fun k w => butterfly (2 ^ k) w 1) (fun _ => F) root).
  - intros x Hx i j Hi Hj. cbn in Hx. subst. unfold F, Id. rewrite pow_one. replace i with O by lia. replace j with O by lia. reflexivity.
  - exact root_square.
  - intros m x Hx. apply (fourier_step (2 ^ m)). exact Hx.
Qed.
End Butterflies.

Arguments butterfly {R}. Arguments root {R}. Arguments fourier_stages {R}.
Print Assumptions bsp_1_6.
