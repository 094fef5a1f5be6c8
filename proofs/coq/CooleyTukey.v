(* cooley-tukey: F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) S_{r,rs}, for every commutative ring and every w with w^(r s) = 1. *)

From Nodewright Require Import Matrix.

Section CooleyTukey.
Variable R : CRing.
Add Ring R : (laws R).

(* With w = w_rs: w_r = w^s, w_s = w^r, and T^rs_s has w^(i j) at i s + j. *)
Theorem cooley_tukey (r s : nat) (w : R) : pow w (r * s) = one R ->
  meq (r * s) (F w)
    (mmul (r * s) (kron s (F (pow w s)) Id)
    (mmul (r * s) (diagonal (fun k => pow w (k / s * (k mod s))))
    (mmul (r * s) (kron s Id (F (pow w r))) (Sh r s)))).
Proof.
  intros root i j Hi Hj. destruct (digits i r s Hi) as (a & b & Ha & Hb & ->).
  assert (Hj' := Hj). rewrite Nat.mul_comm in Hj'. destruct (digits j s r Hj') as (c & d & Hc & Hd & ->).
  unfold mmul at 1. rewrite (sum_pick _ (r * s) (d * s + b)).
  - rewrite diagonal_mmul by now apply lin_lt. rewrite mmul_Sh by auto. unfold kron, shuffle, F, Id.
    rewrite (div_lin c d r), (mod_lin c d r), (div_lin a b s), (mod_lin a b s), (div_lin d b s), (mod_lin d b s) by assumption.
    rewrite (div_lin d c s), (mod_lin d c s), !Nat.eqb_refl by assumption.
    rewrite <- !pow_mul.
    replace ((a * s + b) * (c * r + d)) with (r * s * (a * c) + (s * (a * d) + (d * b + r * (b * c)))) by lia.
    rewrite !pow_add, (pow_mul _ w (r * s)), root, pow_one. ring.
  - now apply lin_lt.
  - intros k Hk Hn. rewrite diagonal_mmul by assumption. rewrite mmul_Sh by auto.
    destruct (digits k r s Hk) as (e & f & He & Hf & ->). unfold kron, shuffle, Id.
    rewrite (div_lin c d r), (mod_lin c d r), (mod_lin a b s), (div_lin e f s), (mod_lin e f s), (div_lin d c s), (mod_lin d c s) by assumption.
    destruct (Nat.eqb_spec b f) as [->|]; [|ring]. destruct (Nat.eqb_spec e d) as [->|]; [|ring]. now elim Hn.
Qed.
End CooleyTukey.

Print Assumptions cooley_tukey.
