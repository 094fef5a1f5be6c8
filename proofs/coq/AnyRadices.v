(* any-radices: F_N by n stages of any radices r 0, r 1, ..., for every commutative ring and all roots of unity x k of order N_k = r 0 ... r (k-1). *)

From Nodewright Require Import Matrix.

Section Steps.
Variable R : CRing.
Add Ring R : (laws R).

(* F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) S_{r,rs} where w^(r s) = 1. With w = w_rs: w_r = w^s, w_s = w^r, and T^rs_s has w^(i j) at i s + j. *)
Lemma cooley_tukey (r s : nat) (w : R) : pow w (r * s) = one R ->
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

(* A product of I ⊗ body is I ⊗ the product. *)
Lemma Pi_left (p q n : nat) (body : nat -> nat -> mat R) : q <> 0 ->
  (forall k m, k + S m = n -> meq (p * q) (body k m) (kron q Id (body k m))) ->
  forall c l, c + l = n -> meq (p * q) (Pi (p * q) c l body) (kron q Id (Pi q c l body)).
Proof.
  intros Hq H. induction c; intros l E; simpl.
  - intros i j _ _. symmetry. now apply kron_Id.
  - eapply meq_trans. { apply mmul_meq; [apply H; lia|apply IHc; lia]. }
    eapply meq_trans. { apply kron_mmul. }
    apply kron_meq; [apply Id_mmul|apply meq_refl].
Qed.
End Steps.

Section Radices.
Variable R : CRing.
Add Ring R : (laws R).
Variable r : nat -> nat.

(* N_k = r 0 * ... * r (k-1) *)
Fixpoint N (k : nat) : nat := match k with O => 1 | S k => r k * N k end.

(* I ⊗ (F_r ⊗ I_s) T^rs_s and I ⊗ S_{r,rs}, r = r_k and s = N_k, whose roots of unity are x (k+1)^s and x (k+1). *)
Definition radix_stage (x : nat -> R) (k : nat) : mat R :=
  kron (N (S k)) Id (mmul (N (S k)) (kron (N k) (F (pow (x (S k)) (N k))) Id) (diagonal (fun j => pow (x (S k)) (j / N k * (j mod N k))))).
Definition radix_shuffle (k : nat) : mat R := kron (N (S k)) Id (Sh (r k) (N k)).

Definition radix_stages (x : nat -> R) (n : nat) : mat R := Pi (N n) n 0 (fun k _ => radix_stage x k).
Definition digit_reversal (n : nat) : mat R := Pi (N n) n 0 (fun _ l => radix_shuffle l).

(* Radices are not 0, and x k is x (k+1)^(r k), as exp(2 pi i/N_k). *)
Definition roots (x : nat -> R) : Prop := (forall k, r k <> 0) /\ x 0 = one R /\ forall k, pow (x (S k)) (r k) = x k.

Section Positive.
Hypothesis positive : forall k, r k <> 0.

Lemma N_positive k : N k <> 0.
Proof. induction k; simpl; [lia|]. specialize (positive k). nia. Qed.

Lemma N_divides m k : exists q, q <> 0 /\ N (m + k) = q * N k.
Proof.
  induction m as [|m (q & Hq & E)]; [exists 1; simpl; lia|]. exists (r (m + k) * q). specialize (positive (m + k)).
  split; [nia|]. simpl. rewrite E. lia.
Qed.

(* I ⊗ A for the order N_k is I ⊗ I ⊗ A for a larger one. *)
Lemma kron_beside k n (A : mat R) : k <= n -> forall i j, kron (N k) Id A i j = kron (N n) Id (kron (N k) Id A) i j.
Proof.
  intros H i j. destruct (N_divides (n - k) k) as (q & Hq & E). replace (n - k + k) with n in E by lia. rewrite E.
  rewrite (kron_assoc R) by auto using N_positive. unfold kron at 1 2. f_equal. symmetry. now apply (kron_Id R q).
Qed.

Lemma Pi_same d (b : nat -> mat R) c : forall l m, Pi d c l (fun k _ => b k) = Pi d c m (fun k _ => b k).
Proof. induction c; intros l m; simpl; [reflexivity|]. now rewrite (IHc (S l) (S m)). Qed.

Lemma Pi_last d (b : nat -> mat R) c : forall l, meq d (Pi d (S c) l (fun _ m => b m)) (mmul d (Pi d c l (fun _ m => b m)) (b (l + c))).
Proof.
  induction c; intro l.
  - simpl. rewrite Nat.add_0_r. eapply meq_trans; [apply mmul_Id|]. apply meq_sym, Id_mmul.
  - change (Pi d (S (S c)) l (fun _ m => b m)) with (mmul d (b l) (Pi d (S c) (S l) (fun _ m => b m))).
    eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply IHc]. }
    rewrite Nat.add_succ_l, <- Nat.add_succ_r. apply meq_sym, mmul_assoc.
Qed.

Lemma root_whole (x : nat -> R) : roots x -> forall k, pow (x k) (N k) = one R.
Proof. intros (_ & H0 & H). induction k; [rewrite H0; apply pow_one|]. cbn [N]. now rewrite pow_mul, H. Qed.

(* F_rN from F_N, and one stage and one shuffle more. *)
Lemma radix_step (x : nat -> R) n (A : mat R) : roots x -> meq (N n) A (mmul (N n) (radix_stages x n) (digit_reversal n)) ->
  meq (N (S n)) (mmul (N (S n)) (kron (N n) (F (pow (x (S n)) (N n))) Id)
    (mmul (N (S n)) (diagonal (fun j => pow (x (S n)) (j / N n * (j mod N n)))) (mmul (N (S n)) (kron (N n) Id A) (Sh (r n) (N n)))))
    (mmul (N (S n)) (radix_stages x (S n)) (digit_reversal (S n))).
Proof.
  intros H IH. assert (E : meq (N (S n)) (mmul (N (S n)) (Pi (N (S n)) n 1 (fun k _ => radix_stage x k)) (Pi (N (S n)) n 0 (fun _ l => radix_shuffle l))) (kron (N n) Id A)).
  { rewrite (Pi_same (N (S n)) (radix_stage x) n 1 0). cbn [N].
    eapply meq_trans. { apply mmul_meq; apply (Pi_left R (r n) (N n) n); try apply N_positive; try lia; intros k m Hk i j _ _; apply kron_beside; lia. }
    eapply meq_trans; [apply kron_mmul|]. apply kron_meq; [apply Id_mmul|]. now apply meq_sym. }
  apply meq_sym. unfold radix_stages, digit_reversal. eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply Pi_last]. }
  cbn [Pi]. eapply meq_trans.
  { apply mmul_meq; apply mmul_meq; [apply (kron_whole R (N (S n)))|apply meq_refl|apply meq_refl|apply (kron_whole R (N (S n)))]. }
  eapply meq_trans; [apply mmul_assoc|]. eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply meq_sym, mmul_assoc]. }
  eapply meq_trans. { apply mmul_meq; [apply meq_refl|]. apply mmul_meq; [exact E|apply meq_refl]. }
  apply mmul_assoc.
Qed.
End Positive.
End Radices.

Arguments radix_stages {R}. Arguments digit_reversal {R}. Arguments roots {R}.

Theorem any_radices (R : CRing) (r : nat -> nat) (x : nat -> R) (n : nat) : roots r x ->
  meq (N r n) (F (x n)) (mmul (N r n) (radix_stages r x n) (digit_reversal r n)).
Proof.
  intros (Hr & H0 & H). induction n.
  - intros i j Hi Hj. simpl in Hi, Hj. rewrite Id_mmul by assumption. unfold F. rewrite H0, pow_one. now replace i with 0 by lia; replace j with 0 by lia.
  - eapply meq_trans; [|apply radix_step; [exact Hr|repeat split; assumption|exact IHn]].
    rewrite <- (H n). apply (cooley_tukey R (r n) (N r n)). rewrite pow_mul, H. apply root_whole. repeat split; assumption.
Qed.

Print Assumptions any_radices.
