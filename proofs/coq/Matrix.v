(* Matrices over a commutative ring as functions of row and column, with explicit sizes; digits of indices. *)

From Coq Require Export Arith Lia Ring.

Record CRing := {
  carrier :> Type; zero : carrier; one : carrier; plus : carrier -> carrier -> carrier; times : carrier -> carrier -> carrier;
  minus : carrier -> carrier -> carrier; opp : carrier -> carrier; laws : ring_theory zero one plus times minus opp eq }.

Lemma div_lin a b q : b < q -> (a * q + b) / q = a.
Proof. intro H. rewrite Nat.div_add_l by lia. rewrite Nat.div_small by lia. lia. Qed.

Lemma mod_lin a b q : b < q -> (a * q + b) mod q = b.
Proof. intro H. rewrite Nat.add_comm, Nat.mod_add by lia. now apply Nat.mod_small. Qed.

Lemma digits i p q : i < p * q -> exists a b, a < p /\ b < q /\ i = a * q + b.
Proof.
  intro H. assert (q <> 0) by (intro; subst; lia). exists (i / q), (i mod q). repeat split.
  - apply Nat.div_lt_upper_bound; lia.
  - now apply Nat.mod_upper_bound.
  - rewrite (Nat.div_mod i q) at 1 by assumption. lia.
Qed.

Lemma lin_lt a b p q : a < p -> b < q -> a * q + b < p * q.
Proof. nia. Qed.

Section Matrices.
Variable R : CRing.
Add Ring R : (laws R).
Declare Scope ring_scope.
Notation "0" := (zero R) : ring_scope. Notation "1" := (one R) : ring_scope.
Infix "+" := (plus R) : ring_scope. Infix "*" := (times R) : ring_scope. Notation "- x" := (opp R x) : ring_scope.
Local Open Scope ring_scope.

Definition mat := nat -> nat -> R.

Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => sum m f + f m end.
Fixpoint pow (x : R) (n : nat) : R := match n with O => 1 | S m => x * pow x m end.

(* A = B as d x d matrices. *)
Definition meq (d : nat) (A B : mat) := forall i j, (i < d)%nat -> (j < d)%nat -> A i j = B i j.

Definition mmul (d : nat) (A B : mat) : mat := fun i j => sum d (fun k => A i k * B k j).
Definition Id : mat := fun i j => if Nat.eqb i j then 1 else 0.
Definition diagonal (f : nat -> R) : mat := fun i j => if Nat.eqb i j then f i else 0.
(* A ⊗ B, B of order q. *)
Definition kron (q : nat) (A B : mat) : mat := fun i j => A (i / q)%nat (j / q)%nat * B (i mod q) (j mod q).
(* The direct sum of f 0, f 1, ..., each of order q. *)
Definition blocks (q : nat) (f : nat -> mat) : mat := fun i j => if Nat.eqb (i / q) (j / q) then f (i / q)%nat (i mod q) (j mod q) else 0.
(* S_{u,u t}: place a u + b goes to b t + a. *)
Definition shuffle (u t j : nat) : nat := (j mod u * t + j / u)%nat.
Definition Sh (u t : nat) : mat := fun i j => if Nat.eqb i (shuffle u t j) then 1 else 0.
(* Entry (i, j) = w^(i j): F_N where w = exp(2 pi i/N). *)
Definition F (w : R) : mat := fun i j => pow w (i * j).
(* body (c-1) l, body (c-2) (l+1), ..., body 0 (l+c-1), multiplied in this order. *)
Fixpoint Pi (d c l : nat) (body : nat -> nat -> mat) : mat :=
  match c with O => Id | S k => mmul d (body k l) (Pi d k (S l) body) end.

Lemma sum_ext n f g : (forall k, (k < n)%nat -> f k = g k) -> sum n f = sum n g.
Proof. induction n; intro H; simpl; [reflexivity|]. rewrite IHn, H; auto. Qed.

Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n; simpl; [reflexivity|]. rewrite IHn. ring. Qed.

Lemma sum_add n f g : sum n (fun k => f k + g k) = sum n f + sum n g.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma sum_scale n c f : sum n (fun k => c * f k) = c * sum n f.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma sum_swap m n f : sum m (fun a => sum n (f a)) = sum n (fun b => sum m (fun a => f a b)).
Proof.
  induction m; simpl; [now rewrite sum_zero|]. rewrite IHm, <- sum_add. reflexivity.
Qed.

Lemma sum_append m n f : sum (m + n) f = sum m f + sum n (fun k => f (m + k)%nat).
Proof.
  induction n; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHn. ring.
Qed.

Lemma sum_digits p q f : sum (p * q) f = sum p (fun a => sum q (fun b => f (a * q + b)%nat)).
Proof. induction p; simpl; [reflexivity|]. rewrite Nat.add_comm, sum_append, IHp. reflexivity. Qed.

Lemma sum_pick n p f : (p < n)%nat -> (forall k, (k < n)%nat -> k <> p -> f k = 0) -> sum n f = f p.
Proof.
  induction n; intros Hp H; [lia|]. simpl. destruct (Nat.eq_dec p n) as [->|Hn].
  - rewrite (sum_ext n f (fun _ => 0)), sum_zero; [ring|]. intros k Hk. apply H; lia.
  - rewrite IHn by (try lia; intros; apply H; lia). rewrite (H n) by lia. ring.
Qed.

Lemma pow_add x m n : pow x (m + n) = pow x m * pow x n.
Proof. induction m; simpl; [ring|]. rewrite IHm. ring. Qed.

Lemma pow_mul x m n : pow x (m * n) = pow (pow x m) n.
Proof. induction n; [rewrite Nat.mul_0_r; reflexivity|]. rewrite Nat.mul_succ_r, pow_add, IHn. simpl. ring. Qed.

Lemma pow_one n : pow 1 n = 1.
Proof. induction n; simpl; [reflexivity|]. rewrite IHn. ring. Qed.

(* Equality of matrices *)

Lemma meq_refl d A : meq d A A.
Proof. intros i j _ _. reflexivity. Qed.

Lemma meq_sym d A B : meq d A B -> meq d B A.
Proof. intros H i j Hi Hj. symmetry. auto. Qed.

Lemma meq_trans d A B C : meq d A B -> meq d B C -> meq d A C.
Proof. intros H K i j Hi Hj. rewrite H; auto. Qed.

Lemma mmul_meq d A B C D : meq d A B -> meq d C D -> meq d (mmul d A C) (mmul d B D).
Proof. intros H K i j Hi Hj. apply sum_ext. intros k Hk. rewrite H, K; auto. Qed.

Lemma mmul_assoc d A B C : meq d (mmul d (mmul d A B) C) (mmul d A (mmul d B C)).
Proof.
  intros i j _ _. unfold mmul.
  transitivity (sum d (fun k => sum d (fun m => A i m * B m k * C k j))).
  - apply sum_ext. intros k _. rewrite (sum_ext d (fun m => A i m * B m k * C k j) (fun m => C k j * (A i m * B m k))) by (intros; ring).
    rewrite sum_scale. ring.
  - rewrite sum_swap. apply sum_ext. intros m _. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.

Lemma Id_mmul d A : meq d (mmul d Id A) A.
Proof.
  intros i j Hi Hj. unfold mmul, Id. rewrite (sum_pick d i) by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq i k)) by lia; ring).
  rewrite Nat.eqb_refl. ring.
Qed.

Lemma mmul_Id d A : meq d (mmul d A Id) A.
Proof.
  intros i j Hi Hj. unfold mmul, Id. rewrite (sum_pick d j) by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq k j)) by lia; ring).
  rewrite Nat.eqb_refl. ring.
Qed.

Lemma diagonal_mmul d A f i j : (i < d)%nat -> mmul d (diagonal f) A i j = f i * A i j.
Proof.
  intro Hi. unfold mmul, diagonal. rewrite (sum_pick d i) by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq i k)) by lia; ring).
  rewrite Nat.eqb_refl. ring.
Qed.

(* Permutations *)

Lemma shuffle_lt u t j : (j < t * u)%nat -> (shuffle u t j < u * t)%nat.
Proof.
  intro H. destruct (digits j t u H) as (a & b & Ha & Hb & ->). unfold shuffle. rewrite div_lin, mod_lin by assumption. now apply lin_lt.
Qed.

Lemma shuffle_back u t j : (j < t * u)%nat -> shuffle t u (shuffle u t j) = j.
Proof.
  intro H. destruct (digits j t u H) as (a & b & Ha & Hb & ->). unfold shuffle.
  rewrite (div_lin a b u), (mod_lin a b u), div_lin, mod_lin by assumption. reflexivity.
Qed.

Lemma mmul_Sh u t d A i j : d = (u * t)%nat -> (j < d)%nat -> mmul d A (Sh u t) i j = A i (shuffle u t j).
Proof.
  intros -> Hj. assert (shuffle u t j < u * t)%nat by (apply shuffle_lt; lia). unfold mmul, Sh.
  rewrite (sum_pick (u * t) (shuffle u t j)) by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq k _)) by exact Hk; ring).
  rewrite Nat.eqb_refl. ring.
Qed.

(* Kronecker products *)

Lemma kron_meq p q A B C D : meq p A B -> meq q C D -> meq (p * q) (kron q A C) (kron q B D).
Proof.
  intros H K i j Hi Hj. destruct (digits i p q Hi) as (a & b & Ha & Hb & ->). destruct (digits j p q Hj) as (c & d & Hc & Hd & ->).
  unfold kron. rewrite !div_lin, !mod_lin by assumption. rewrite H, K; auto.
Qed.

Lemma kron_mmul p q A B C D : meq (p * q) (mmul (p * q) (kron q A B) (kron q C D)) (kron q (mmul p A C) (mmul q B D)).
Proof.
  intros i j Hi Hj. unfold mmul, kron. rewrite sum_digits.
  transitivity (sum p (fun a => A (i / q)%nat a * C a (j / q)%nat * sum q (fun b => B (i mod q) b * D b (j mod q)))).
  - apply sum_ext. intros a Ha. rewrite <- sum_scale. apply sum_ext. intros b Hb. cbv beta. rewrite div_lin, mod_lin by assumption. ring.
  - set (s := sum q _). rewrite (sum_ext p _ (fun a => s * (A (i / q)%nat a * C a (j / q)%nat))) by (intros; ring). rewrite sum_scale. ring.
Qed.

Lemma kron_assoc q r A B C i j : q <> O -> r <> O -> kron (q * r) A (kron r B C) i j = kron r (kron q A B) C i j.
Proof.
  intros Hq Hr. unfold kron.
  assert (D : forall x, (x / (q * r) = x / r / q /\ (x mod (q * r)) / r = (x / r) mod q /\ (x mod (q * r)) mod r = x mod r)%nat).
  { intro x. replace (x mod (q * r))%nat with ((x / r) mod q * r + x mod r)%nat.
    - assert (x mod r < r)%nat by (apply Nat.mod_upper_bound; assumption). rewrite div_lin, mod_lin by assumption.
      rewrite (Nat.mul_comm q r), Nat.div_div by assumption. auto.
    - rewrite (Nat.mul_comm q r), Nat.mod_mul_r by assumption. lia. }
  destruct (D i) as (-> & -> & ->), (D j) as (-> & -> & ->). ring.
Qed.

Lemma kron_Id q i j : q <> O -> kron q Id Id i j = Id i j.
Proof.
  intro H. unfold kron, Id. destruct (Nat.eqb_spec i j) as [->|N].
  - rewrite !Nat.eqb_refl. ring.
  - destruct (Nat.eqb_spec (i / q) (j / q)) as [E|]; [|ring]. destruct (Nat.eqb_spec (i mod q) (j mod q)) as [E'|]; [|ring].
    exfalso. apply N. rewrite (Nat.div_mod i q), (Nat.div_mod j q) by assumption. now rewrite E, E'.
Qed.

Lemma kron_whole d A : meq d (kron d Id A) A.
Proof.
  intros i j Hi Hj. unfold kron, Id. rewrite !Nat.div_small, !Nat.mod_small by assumption. simpl. ring.
Qed.

End Matrices.

Arguments mat R : assert. Arguments sum {R}. Arguments pow {R}. Arguments meq {R}. Arguments mmul {R}. Arguments Id {R}. Arguments diagonal {R}.
Arguments kron {R}. Arguments blocks {R}. Arguments Sh {R}. Arguments F {R}. Arguments Pi {R}.
