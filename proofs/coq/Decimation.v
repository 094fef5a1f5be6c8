(* From one step of decimation in time to the whole factorization, G_N = (stage n-1) ... (stage 0) P_N for N = 2^n, by induction on n. *)

From Nodewright Require Export Matrix.

Section Products.
Variable R : CRing.
Add Ring R : (laws R).

(* A product of I ⊗ body is I ⊗ the product; so for body ⊗ I. *)
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

Lemma Pi_right (p q n : nat) (body after : nat -> nat -> mat R) : p <> 0 ->
  (forall k m, k + S m = n -> meq (q * p) (after k (S m)) (kron p (body k m) Id)) ->
  forall c l, c + l = n -> meq (q * p) (Pi (q * p) c (S l) after) (kron p (Pi q c l body) Id).
Proof.
  intros Hp H. induction c; intros l E; simpl.
  - intros i j _ _. symmetry. now apply kron_Id.
  - eapply meq_trans. { apply mmul_meq; [apply H; lia|apply IHc; lia]. }
    eapply meq_trans. { apply kron_mmul. }
    apply kron_meq; [apply meq_refl|apply Id_mmul].
Qed.

(* S_{2,2^(k+1)} ⊗ I_{2^l}, and the bit reversal P_N = S_{2,N} (S_{2,N/2} ⊗ I_2) ... (S_{2,2} ⊗ I_{N/2}). *)
Definition swap (k l : nat) : mat R := kron (2 ^ l) (Sh 2 (2 ^ k)) Id.
Definition reversal (n : nat) : mat R := Pi (2 ^ n) n 0 swap.

Lemma two_power n : 2 ^ n <> 0.
Proof. apply Nat.pow_nonzero. lia. Qed.

Lemma reversal_step n : meq (2 ^ S n) (reversal (S n)) (mmul (2 ^ S n) (Sh 2 (2 ^ n)) (kron 2 (reversal n) Id)).
Proof.
  unfold reversal at 1. cbn [Pi]. apply mmul_meq.
  - intros i j _ _. apply kron_1.
  - replace (2 ^ S n) with (2 ^ n * 2) by (cbn; lia).
    apply (Pi_right 2 (2 ^ n) n); [lia| |lia]. intros k m E i j _ _. unfold swap.
    rewrite <- (kron_assoc R (2 ^ m) 2) by (auto using two_power). replace (2 ^ m * 2) with (2 ^ S m) by (cbn; lia).
    unfold kron at 1 2. f_equal. symmetry. rewrite <- (kron_Id R 2) by lia. reflexivity.
Qed.
End Products.

Arguments swap {R}. Arguments reversal {R}.

Section Decimation.
Variable R : CRing.
Add Ring R : (laws R).
(* What a transform depends on (a root of unity), and the same for half the size; the butterfly of order 2^(k+1). *)
Variables (X : Type) (next : X -> X) (butterfly : nat -> X -> mat R).

Fixpoint iterate (l : nat) (x : X) : X := match l with O => x | S m => iterate m (next x) end.

(* I_{2^l} ⊗ butterfly of order 2^(k+1), for the whole order 2^(k+1+l) = N. *)
Definition stage (x : X) (k l : nat) : mat R := kron (2 * 2 ^ k) Id (butterfly k (iterate l x)).
Definition stages (n : nat) (x : X) : mat R := Pi (2 ^ n) n 0 (stage x).

Lemma Pi_next d c x : forall l, Pi d c (S l) (stage x) = Pi d c l (stage (next x)).
Proof. induction c; intro l; simpl; [reflexivity|]. now rewrite IHc. Qed.

Lemma stages_step n x :
  meq (2 ^ S n) (stages (S n) x) (mmul (2 ^ S n) (butterfly n x) (kron (2 ^ n) Id (stages n (next x)))).
Proof.
  unfold stages at 1. cbn [Pi]. rewrite Pi_next. apply mmul_meq.
  - apply (kron_whole R (2 ^ S n)).
  - apply (Pi_left R 2 (2 ^ n) n); [apply two_power| |lia]. intros k m E i j _ _. unfold stage.
    replace (2 ^ n) with (2 ^ m * (2 * 2 ^ k)) by (rewrite <- E, Nat.pow_add_r; cbn; lia).
    rewrite (kron_assoc R) by (try apply two_power; pose proof (two_power k); lia).
    unfold kron at 1 2. f_equal. symmetry. apply (kron_Id R (2 ^ m)). apply two_power.
Qed.

Theorem decimation (G : nat -> X -> mat R) (good : nat -> X -> Prop) :
  (forall x, good 0 x -> meq 1 (G 0 x) Id) ->
  (forall n x, good (S n) x -> good n (next x)) ->
  (forall n x, good (S n) x ->
    meq (2 ^ S n) (G (S n) x) (mmul (2 ^ S n) (butterfly n x) (mmul (2 ^ S n) (kron (2 ^ n) Id (G n (next x))) (Sh 2 (2 ^ n))))) ->
  forall n x, good n x -> meq (2 ^ n) (G n x) (mmul (2 ^ n) (stages n x) (reversal n)).
Proof.
  intros Hzero Hnext Hstep. induction n; intros x Hx.
  - eapply meq_trans; [now apply Hzero|]. apply meq_sym, Id_mmul.
  - specialize (IHn (next x) (Hnext n x Hx)). eapply meq_trans; [now apply Hstep|].
    apply meq_sym. eapply meq_trans. { apply mmul_meq; [apply stages_step|apply reversal_step]. }
    eapply meq_trans; [apply mmul_assoc|]. apply mmul_meq; [apply meq_refl|].
    (* (I ⊗ stages) S (P ⊗ I) = (I ⊗ stages) (I ⊗ P) S = (I ⊗ stages P) S *)
    eapply meq_trans. { apply mmul_meq; [apply meq_refl|apply (Sh_kron R 2 (2 ^ n))]. }
    eapply meq_trans; [apply meq_sym, mmul_assoc|]. apply mmul_meq; [|apply meq_refl].
    eapply meq_trans; [apply (kron_mmul R 2 (2 ^ n))|]. apply (kron_meq R 2 (2 ^ n)); [apply Id_mmul|now apply meq_sym].
Qed.
End Decimation.

Arguments stage {R X}. Arguments stages {R X}. Arguments iterate {X}.
