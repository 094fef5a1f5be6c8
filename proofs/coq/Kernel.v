(* The kernel's terms as matrices, its rules as lemmas, and how path sums are seen to be equal.

   `nodewright prove --coq` writes files over this one. *)

From Nodewright Require Export Matrix.
From Coq Require Export Field.

Fixpoint copies {A : Type} (zero one : A) (add : A -> A -> A) (n : nat) : A :=
  match n with O => zero | S m => add one (copies zero one add m) end.

(* A commutative ring with a field of numbers in it, and roots of unity: root x is exp(2 pi i x). *)
#[projections(primitive)] Record Turns := {
  turn : Type; t0 : turn; t1 : turn; tadd : turn -> turn -> turn; tmul : turn -> turn -> turn; tsub : turn -> turn -> turn;
  topp : turn -> turn; tdiv : turn -> turn -> turn; tinv : turn -> turn;
  field_laws : field_theory t0 t1 tadd tmul tsub topp tdiv tinv eq;
  no_copies : forall n, copies t0 t1 tadd (S n) <> t0;
  ring : CRing;
  num : turn -> ring;
  num_add : forall x y, num (tadd x y) = plus ring (num x) (num y);
  num_mul : forall x y, num (tmul x y) = times ring (num x) (num y);
  num_one : num t1 = one ring;
  root : turn -> ring;
  root_add : forall x y, root (tadd x y) = times ring (root x) (root y);
  root_one : root t1 = one ring;
  geometric : forall d k : nat, d <> O ->
    sum d (fun x => root (tdiv (tmul (copies t0 t1 tadd x) (copies t0 t1 tadd k)) (copies t0 t1 tadd d)))
    = if Nat.eqb (k mod d) 0 then num (copies t0 t1 tadd d) else zero ring }.

Arguments t0 {_}. Arguments t1 {_}. Arguments tadd {_}. Arguments tmul {_}. Arguments tsub {_}. Arguments topp {_}.
Arguments tdiv {_}. Arguments tinv {_}. Definition inj {K : Turns} (n : nat) : turn K := copies t0 t1 tadd n.

Declare Scope turn_scope.
Delimit Scope turn_scope with turn.
Bind Scope turn_scope with turn.
Notation "x + y" := (tadd x y) : turn_scope. Notation "x * y" := (tmul x y) : turn_scope.
Notation "x - y" := (tsub x y) : turn_scope. Notation "x / y" := (tdiv x y) : turn_scope.
Notation "- x" := (topp x) : turn_scope. Notation "0" := t0 : turn_scope. Notation "1" := t1 : turn_scope.
Notation "[ n ]" := (inj n%nat) : turn_scope.
Declare Scope entry_scope.
Delimit Scope entry_scope with entry.
Notation "x + y" := (plus (ring _) x y) : entry_scope. Notation "x * y" := (times (ring _) x y) : entry_scope.
Notation "- x" := (opp (ring _) x) : entry_scope. Notation "0" := (zero (ring _)) : entry_scope. Notation "1" := (one (ring _)) : entry_scope.

Arguments num {_} x%turn. Arguments root {_} x%turn.

Section Terms.
Variable K : Turns.
Add Field turns : (field_laws K).
Add Ring entries : (laws (ring K)).
Local Open Scope entry_scope.
Notation R := (ring K).
Notation mat := (mat R).
Implicit Types A B C D : mat.

(* Numbers *)

Lemma inj_0 : @inj K 0 = t0. Proof. reflexivity. Qed.
Lemma inj_S n : @inj K (S n) = (1 + inj n)%turn. Proof. reflexivity. Qed.
Lemma inj_1 : @inj K 1 = t1. Proof. rewrite inj_S, inj_0. ring. Qed.
Lemma inj_add m n : @inj K (m + n) = (inj m + inj n)%turn.
Proof. induction m; simpl; [rewrite inj_0; ring|]. rewrite !inj_S, IHm. ring. Qed.
Lemma inj_mul m n : @inj K (m * n) = (inj m * inj n)%turn.
Proof. induction m; simpl; [rewrite inj_0; ring|]. rewrite inj_S, inj_add, IHm. ring. Qed.
Lemma inj_not_0 n : n <> O -> @inj K n <> t0.
Proof. destruct n; [easy|]. intros _. apply no_copies. Qed.

Lemma root_0 : root (@t0 K) = 1.
Proof.
  assert (H : root (@t0 K) * root t1 = root t1). { rewrite <- root_add. f_equal. ring. }
  rewrite root_one in H. rewrite <- H. ring.
Qed.
Lemma root_inj n : root (@inj K n) = 1.
Proof. induction n; [apply root_0|]. rewrite inj_S, root_add, root_one, IHn. ring. Qed.
Lemma root_shift (x y : turn K) m n : (x + inj m = y + inj n)%turn -> root x = root y.
Proof.
  intro H. assert (E : root x * root (@inj K m) = root y * root (@inj K n)) by (rewrite <- !root_add, H; reflexivity).
  rewrite !root_inj in E. transitivity (root x * 1); [ring|]. rewrite E. ring.
Qed.
Lemma root_eq (x y : turn K) : x = y -> root x = root y. Proof. now intros ->. Qed.

(* Terms; order 1 and I are of one size each, which Id leaves open *)

Definition I (d : nat) : mat := Id.
Definition Fourier (d : nat) : mat := fun i j => root ([i] * [j] / [d]).
Definition Fourier_bar (d : nat) : mat := fun i j => root (- ([i] * [j] / [d])).
Definition W (x : turn K) : mat := fun _ _ => root x.
(* A ⊗ B, B with q rows and r columns. *)
Definition tensor (q r : nat) A B : mat := fun i j => A (i / q)%nat (j / r)%nat * B (i mod q)%nat (j mod r)%nat.
Definition Ones : mat := fun _ _ => 1.
(* The direct sum of f 0, f 1, ..., each with q rows and r columns. *)
Definition direct (q r : nat) (f : nat -> mat) : mat :=
  fun i j => if Nat.eqb (i / q) (j / r) then f (i / q)%nat (i mod q)%nat (j mod r)%nat else 0.
Definition scaled (a : R) A : mat := fun i j => a * A i j.
Definition added A B : mat := fun i j => A i j + B i j.
(* re + i im *)
Definition complex (x y : turn K) : R := num x + root (1 / [4])%turn * num y.

Definition eqm (m n : nat) A B := forall i j, (i < m)%nat -> (j < n)%nat -> A i j = B i j.

(* Rules *)

Lemma r_refl m n A : eqm m n A A. Proof. intros i j _ _. reflexivity. Qed.
Lemma r_sym m n A B : eqm m n A B -> eqm m n B A. Proof. intros H i j Hi Hj. symmetry. auto. Qed.
Lemma r_trans m n A B C : eqm m n A B -> eqm m n B C -> eqm m n A C. Proof. intros H L i j Hi Hj. rewrite H; auto. Qed.

Lemma r_mul d m n A A' B B' : eqm m d A A' -> eqm d n B B' -> eqm m n (mmul d A B) (mmul d A' B').
Proof. intros H L i j Hi Hj. apply sum_ext. intros k Hk. rewrite H, L; auto. Qed.

Lemma split_lt i p q : (i < p * q -> i / q < p /\ i mod q < q)%nat.
Proof. intro H. destruct (digits i p q H) as (a & b & Ha & Hb & ->). now rewrite div_lin, mod_lin. Qed.

Lemma r_kron m n q r p s A A' B B' : p = (m * q)%nat -> s = (n * r)%nat -> eqm m n A A' -> eqm q r B B' ->
  eqm p s (tensor q r A B) (tensor q r A' B').
Proof.
  intros -> -> H L i j Hi Hj. apply split_lt in Hi, Hj. unfold tensor. rewrite H, L; tauto.
Qed.

Lemma r_block m n q r p s (f g : nat -> mat) : p = (m * q)%nat -> s = (n * r)%nat -> m = n ->
  (forall x, (x < m)%nat -> eqm q r (f x) (g x)) -> eqm p s (direct q r f) (direct q r g).
Proof.
  intros -> -> <- H i j Hi Hj. apply split_lt in Hi, Hj. unfold direct.
  destruct (Nat.eqb_spec (i / q) (j / r)); [|reflexivity]. apply H; tauto.
Qed.

Lemma Pi_congruence d (f g : nat -> nat -> mat) n : (forall k l, S (k + l) = n -> eqm d d (f k l) (g k l)) ->
  forall c l, (c + l)%nat = n -> eqm d d (Pi d c l f) (Pi d c l g).
Proof. intro E. induction c; intros l H; simpl; [apply r_refl|]. apply r_mul; [apply E|apply IHc]; lia. Qed.
Lemma r_pi d c (f g : nat -> nat -> mat) : (forall k l, S (k + l) = c -> eqm d d (f k l) (g k l)) -> eqm d d (Pi d c 0 f) (Pi d c 0 g).
Proof. intro E. apply (Pi_congruence d f g c E). lia. Qed.

Lemma r_empty d c (f : nat -> nat -> mat) : c = O -> eqm d d (Pi d c 0 f) (I d). Proof. intros ->. apply r_refl. Qed.

Lemma Pi_from d c (f : nat -> nat -> mat) : forall x l, Pi d c (x + l) f = Pi d c l (fun k l => f k (x + l)%nat).
Proof. induction c; intros x l; simpl; [reflexivity|]. now rewrite <- Nat.add_succ_r, IHc. Qed.
Lemma r_first d c n (f : nat -> nat -> mat) : c = S n ->
  eqm d d (Pi d c 0 f) (mmul d (f n O) (Pi d n 0 (fun k l => f k (l + 1)%nat))).
Proof.
  intros ->. simpl. apply r_mul; [apply r_refl|]. change (Pi d n 1 f) with (Pi d n (1 + 0) f). rewrite Pi_from. apply Pi_congruence with n; [|lia].
  intros k l _. rewrite Nat.add_comm. apply r_refl.
Qed.

Lemma r_scaled m n a A A' : eqm m n A A' -> eqm m n (scaled a A) (scaled a A').
Proof. intros H i j Hi Hj. unfold scaled. now rewrite H. Qed.
Lemma r_added m n A A' B B' : eqm m n A A' -> eqm m n B B' -> eqm m n (added A B) (added A' B').
Proof. intros H L i j Hi Hj. unfold added. now rewrite H, L. Qed.

(* The same term, written with other sizes and phases *)

Definition same A B := forall i j, A i j = B i j.
Lemma same_refl A : same A A. Proof. now intros i j. Qed.
Lemma same_I d c : same (I d) (I c). Proof. now intros i j. Qed.
Lemma same_Fourier d c : d = c -> same (Fourier d) (Fourier c). Proof. now intros ->. Qed.
Lemma same_Fourier_bar d c : d = c -> same (Fourier_bar d) (Fourier_bar c). Proof. now intros ->. Qed.
Lemma same_Sh u t u' t' : u = u' -> t = t' -> same (Sh u t) (Sh u' t'). Proof. now intros -> ->. Qed.
Lemma same_W (x y : turn K) : x = y -> same (W x) (W y). Proof. now intros ->. Qed.
Lemma same_mmul d c A A' B B' : d = c -> same A A' -> same B B' -> same (mmul d A B) (mmul c A' B').
Proof. intros -> H L i j. apply sum_ext. intros k _. now rewrite H, L. Qed.
Lemma same_tensor q r q' r' A A' B B' : q = q' -> r = r' -> same A A' -> same B B' -> same (tensor q r A B) (tensor q' r' A' B').
Proof. intros -> -> H L i j. unfold tensor. now rewrite H, L. Qed.
Lemma same_direct q r q' r' (f g : nat -> mat) : q = q' -> r = r' -> (forall x, same (f x) (g x)) -> same (direct q r f) (direct q' r' g).
Proof. intros -> -> H i j. unfold direct. now rewrite H. Qed.
Lemma same_Pi d d' c c' x (f g : nat -> nat -> mat) : d = d' -> c = c' -> (forall k l, same (f k l) (g k l)) -> same (Pi d c x f) (Pi d' c' x g).
Proof. intros -> -> H. revert x. induction c'; intro x; simpl; [apply same_refl|]. apply same_mmul; auto. Qed.
Lemma same_scaled a b A B : a = b -> same A B -> same (scaled a A) (scaled b B). Proof. intros -> H i j. unfold scaled. now rewrite H. Qed.
Lemma same_added A A' B B' : same A A' -> same B B' -> same (added A B) (added A' B'). Proof. intros H L i j. unfold added. now rewrite H, L. Qed.

Lemma conclude m n m' n' A B A' B' : eqm m' n' A' B' -> m = m' -> n = n' -> same A' A -> same B' B -> eqm m n A B.
Proof. intros H -> -> L M i j Hi Hj. rewrite <- L, <- M. auto. Qed.

(* Path sums: what a matrix does to a vector *)

Definition act (n : nat) A (v : nat -> R) (i : nat) : R := sum n (fun j => A i j * v j).

Lemma by_action m n A B : (forall v i, (i < m)%nat -> 1 * act n A v i = 1 * act n B v i) -> eqm m n A B.
Proof.
  intros H i j Hi Hj. specialize (H (fun k => if Nat.eqb k j then 1 else 0) i Hi). unfold act in H.
  rewrite !(sum_pick R n j), Nat.eqb_refl in H by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq k j) Hk); ring).
  transitivity (1 * (A i j * 1)); [ring|]. rewrite H. ring.
Qed.

Lemma go_split p q (f : nat -> R) d r : d = (p * q)%nat -> sum p (fun a => sum q (fun b => f (a * q + b)%nat)) = r -> sum d f = r.
Proof. intros -> <-. apply sum_digits. Qed.
Lemma go_1 (f : nat -> R) r : f O = r -> sum 1 f = r. Proof. intros <-. simpl. ring. Qed.

Lemma go_I c d w i r : (i < d)%nat -> c * w i = r -> c * act d (I d) w i = r.
Proof.
  intros Hi <-. f_equal. unfold act, I, Id. rewrite (sum_pick R d i), Nat.eqb_refl by (auto; intros k _ Hk; rewrite (proj2 (Nat.eqb_neq i k)) by lia; ring).
  ring.
Qed.
Lemma go_Fourier c d w i r : sum d (fun y => c * root ([i] * [y] / [d]) * w y) = r -> c * act d (Fourier d) w i = r.
Proof. intros <-. unfold act. rewrite <- sum_scale. apply sum_ext. intros y _. unfold Fourier. ring. Qed.
Lemma go_Fourier_bar c d w i r : sum d (fun y => c * root (- ([i] * [y] / [d])) * w y) = r -> c * act d (Fourier_bar d) w i = r.
Proof. intros <-. unfold act. rewrite <- sum_scale. apply sum_ext. intros y _. unfold Fourier_bar. ring. Qed.
Lemma go_Ones c d w i r : sum d (fun y => c * w y) = r -> c * act d Ones w i = r.
Proof. intros <-. unfold act. rewrite <- sum_scale. apply sum_ext. intros y _. unfold Ones. ring. Qed.
Lemma go_box B c d A w i r : same A B -> sum d (fun y => c * B i y * w y) = r -> c * act d A w i = r.
Proof. intros E <-. unfold act. rewrite <- sum_scale. apply sum_ext. intros y _. rewrite E. ring. Qed.
Lemma go_W c (x : turn K) w i r : c * root x * w O = r -> c * act 1 (W x) w i = r.
Proof. intros <-. unfold act, W. simpl. ring. Qed.
Lemma go_at j c n A w i r : i = j -> c * act n A w j = r -> c * act n A w i = r. Proof. now intros ->. Qed.
Lemma go_S a b c u t n w i r : n = (u * t)%nat -> i = (b * t + a)%nat -> (a < t)%nat -> (b < u)%nat ->
  c * w (a * u + b)%nat = r -> c * act n (Sh u t) w i = r.
Proof.
  intros -> -> Ha Hb <-. f_equal. unfold act, Sh. rewrite (sum_pick R (u * t) (a * u + b)).
  - unfold shuffle. rewrite div_lin, mod_lin, Nat.eqb_refl by assumption. ring.
  - nia.
  - intros k Hk N. rewrite (proj2 (Nat.eqb_neq _ _)); [ring|]. intro E. apply N. rewrite Nat.mul_comm in Hk.
    rewrite <- (shuffle_back u t k Hk), <- E. unfold shuffle. now rewrite div_lin, mod_lin.
Qed.
Lemma go_mul c d n A B w i r : c * act d A (act n B w) i = r -> c * act n (mmul d A B) w i = r.
Proof.
  intros <-. f_equal. unfold act, mmul. transitivity (sum n (fun j => sum d (fun k => A i k * B k j * w j))).
  - apply sum_ext. intros j _. rewrite (sum_ext _ d (fun k => A i k * B k j * w j) (fun k => w j * (A i k * B k j))), sum_scale by (intros; ring). ring.
  - rewrite sum_swap. apply sum_ext. intros k _. rewrite <- sum_scale. apply sum_ext. intros. ring.
Qed.
Lemma go_tensor n m a b c q N A B w i r : N = (n * m)%nat -> i = (a * q + b)%nat -> (b < q)%nat ->
  c * act n A (fun k => act m B (fun l => w (k * m + l)%nat) b) a = r -> c * act N (tensor q m A B) w i = r.
Proof.
  intros -> -> Hb <-. f_equal. unfold act, tensor. rewrite sum_digits. apply sum_ext. intros k _. rewrite <- sum_scale.
  apply sum_ext. intros l Hl. rewrite !div_lin, !mod_lin by assumption. ring.
Qed.
Lemma go_direct p m a b c q N f w i r : N = (p * m)%nat -> i = (a * q + b)%nat -> (a < p)%nat -> (b < q)%nat ->
  c * act m (f a) (fun l => w (a * m + l)%nat) b = r -> c * act N (direct q m f) w i = r.
Proof.
  intros -> -> Ha Hb <-. f_equal. unfold act, direct. rewrite sum_digits, (sum_pick R p a); [| assumption |].
  - apply sum_ext. intros l Hl. rewrite !div_lin, !mod_lin, Nat.eqb_refl by assumption. reflexivity.
  - intros k Hk N. rewrite (sum_ext _ m _ (fun _ => 0)); [apply sum_zero|]. intros l Hl. rewrite !div_lin, !mod_lin by assumption.
    rewrite (proj2 (Nat.eqb_neq a k)) by lia. ring.
Qed.
Lemma go_scaled a c n A w i r : c * a * act n A w i = r -> c * act n (scaled a A) w i = r.
Proof.
  intros <-. unfold act, scaled. rewrite <- !sum_scale. apply sum_ext. intros. ring.
Qed.
Lemma go_added c n A B w i r s : c * act n A w i = r -> c * act n B w i = s -> c * act n (added A B) w i = r + s.
Proof.
  intros <- <-. unfold act, added. rewrite <- !sum_scale, <- sum_add. apply sum_ext. intros. ring.
Qed.

(* Complex numbers in front of sums *)

Lemma num_0 : num (@t0 K) = 0.
Proof.
  assert (E : num (@t0 K) + num t0 = num t0) by (rewrite <- num_add; f_equal; ring).
  transitivity (num (@t0 K) + num t0 + - num t0); [ring|]. rewrite E. ring.
Qed.
Lemma root_sum d (A B : nat) : d <> O ->
  sum d (fun x => root ([x] * (@inj K A - [B]) / [d])) = if Nat.eqb (A mod d) (B mod d) then num (inj d) else 0.
Proof.
  intro Hd. rewrite (sum_ext _ d _ (fun x => root ([x] * @inj K (A + (d - 1) * B) / [d]))).
  - etransitivity; [exact (geometric K d (A + (d - 1) * B) Hd)|].
    assert (E : Nat.eqb ((A + (d - 1) * B) mod d) 0 = Nat.eqb (A mod d) (B mod d)); [|now rewrite E].
    apply Bool.eq_iff_eq_true. rewrite !Nat.eqb_eq. split; intro H.
    + assert (D : ((A + (d - 1) * B) + B) mod d = B mod d) by (rewrite Nat.add_mod, H, Nat.add_0_l, Nat.mod_mod by assumption; reflexivity).
      rewrite <- D. replace (A + (d - 1) * B + B)%nat with (A + B * d)%nat by nia. now rewrite Nat.mod_add.
    + rewrite Nat.add_mod, H, <- Nat.add_mod by assumption. replace (B + (d - 1) * B)%nat with (B * d)%nat by nia. now apply Nat.mod_mul.
  - intros x _. apply (root_shift _ _ (x * B) 0). rewrite !inj_add, !inj_mul. assert (N : @inj K d <> t0) by now apply inj_not_0.
    assert (E : @inj K (d - 1) = (inj d - 1)%turn). { replace d with (S (d - 1)) at 2 by lia. rewrite inj_S. ring. }
    rewrite E, inj_0. field. exact N.
Qed.

Lemma complex_mul (x y x' y' : turn K) : complex x y * complex x' y' = complex (x * x' - y * y') (x * y' + y * x').
Proof.
  assert (E : root (1 / @inj K 4)%turn * root (1 / @inj K 4)%turn = - (1)).
  { assert (N : (t1 + t1)%turn <> @t0 K). { intro H0. apply (inj_not_0 2); [discriminate|]. rewrite <- H0, !inj_S, inj_0. ring. }
    pose proof (root_sum 2 1 0 ltac:(discriminate)) as H. cbn [sum Nat.modulo Nat.divmod fst snd Nat.eqb Nat.sub] in H.
    transitivity (root ([1] * (@inj K 1 - [0]) / [2])%turn).
    - rewrite <- root_add. apply root_eq. rewrite !inj_S, !inj_0. field. repeat split; try exact N; (intro H0; change (((1 + 1) * (1 + 1))%turn = @t0 K) in H0; apply N; transitivity ((1 / (@t1 K + 1)) * ((1 + 1) * (1 + 1)))%turn; [field; exact N|rewrite H0; ring]).
    - assert (Z : root ([0] * (@inj K 1 - [0]) / [2])%turn = 1).
      { rewrite <- root_0. apply root_eq. rewrite !inj_S, !inj_0. field. exact N. }
      rewrite Z in H. transitivity (0 + 1 + root ([1] * (@inj K 1 - [0]) / [2])%turn + - (1)); [ring|]. rewrite H. ring. }
  unfold complex. replace (x * x' - y * y')%turn with (x * x' + (- y) * y')%turn by ring.
  assert (M : num (- y)%turn = - num y). { transitivity (num (- y)%turn + num y + - num y); [ring|]. rewrite <- num_add. replace (- y + y)%turn with (@t0 K) by ring. rewrite num_0. ring. }
  rewrite !num_add, !num_mul, M. ring [E].
Qed.
Lemma complex_add (x y x' y' : turn K) : complex x y + complex x' y' = complex (x + x') (y + y').
Proof. unfold complex. rewrite !num_add. ring. Qed.
Lemma complex_0 : complex t0 t0 = 0. Proof. unfold complex. rewrite num_0. ring. Qed.
Lemma complex_1 : complex t1 t0 = 1. Proof. unfold complex. rewrite num_0, num_one. ring. Qed.
Lemma complex_num x : complex x t0 = num x. Proof. unfold complex. rewrite num_0. ring. Qed.
Lemma in_front (a b c x : R) : a = b -> c = a * x -> c = b * x. Proof. now intros ->. Qed.
Lemma complex_eq (x y x' y' : turn K) : x = x' -> y = y' -> complex x y = complex x' y'. Proof. now intros -> ->. Qed.

(* J, which reverses an index: no digit is carried in r s - 1 - (a s + b) = (r - 1 - a) s + (s - 1 - b) *)

Definition reversing (d : nat) : mat := scaled (complex ([1] / [d])%turn t0) (mmul d (Fourier d) (mmul d (direct 1 1 (fun k => W ([k] / [d])%turn)) (Fourier d))).
Lemma reversing_entry d i j : (i < d)%nat -> (j < d)%nat -> reversing d i j = if Nat.eqb (i + j + 1) d then 1 else 0.
Proof.
  intros Hi Hj. assert (Hd : d <> O) by lia. assert (N : @inj K d <> t0) by now apply inj_not_0. unfold reversing, scaled.
  assert (E : mmul d (Fourier d) (mmul d (direct 1 1 (fun k => W ([k] / [d])%turn)) (Fourier d)) i j = if Nat.eqb (i + j + 1) d then num [d] else 0).
  { transitivity (sum d (fun k => root ([k] * (@inj K (i + j + 1) - [0]) / [d]))).
    - apply sum_ext. intros k Hk. unfold mmul. rewrite (sum_pick R d k).
      + unfold direct. rewrite !Nat.div_1_r, Nat.eqb_refl. unfold W, Fourier. rewrite <- !root_add. apply root_eq. rewrite !inj_add, inj_1, inj_0. field. exact N.
      + exact Hk.
      + intros l Hl L. unfold direct. rewrite !Nat.div_1_r, (proj2 (Nat.eqb_neq k l)) by lia. ring.
    - rewrite root_sum, Nat.mod_0_l by assumption. destruct (Nat.eqb_spec (i + j + 1) d) as [->|L]; [now rewrite Nat.mod_same by assumption|].
      destruct (Nat.eqb_spec ((i + j + 1) mod d) 0) as [Z|]; [|reflexivity]. exfalso. apply Nat.div_exact in Z; [|exact Hd].
      revert Z. generalize ((i + j + 1) / d)%nat. intros [|[|q]] Z; nia. }
  rewrite E. destruct (Nat.eqb (i + j + 1) d); [|ring]. rewrite complex_num, <- num_mul, <- num_one. f_equal. rewrite inj_1. field. exact N.
Qed.
Lemma r_flip r s : r <> O -> s <> O -> eqm (r * s) (r * s) (reversing (r * s)) (tensor s s (reversing r) (reversing s)).
Proof.
  intros Hr Hs i j Hi Hj. rewrite reversing_entry by assumption. destruct (digits i r s Hi) as (a & b & Ha & Hb & ->), (digits j r s Hj) as (c & d & Hc & Hd & ->).
  unfold tensor. rewrite !div_lin, !mod_lin, !reversing_entry by assumption.
  assert (E : (a * s + b + (c * s + d) + 1 = r * s <-> a + c + 1 = r /\ b + d + 1 = s)%nat).
  { split; [|nia]. intro H. destruct (Nat.lt_trichotomy (a + c + 1) r) as [L|[L|L]]; [exfalso; nia|split; nia|exfalso; nia]. }
  destruct (Nat.eqb_spec (a + c + 1) r), (Nat.eqb_spec (b + d + 1) s), (Nat.eqb_spec (a * s + b + (c * s + d) + 1) (r * s)); try ring; exfalso; tauto.
Qed.

(* Rows and columns with one 1, and cases of a digit *)

Definition chosen_row (d v : nat) : mat :=
  scaled (complex ([1] / [d])%turn t0) (mmul d Ones (mmul d (direct 1 1 (fun k => W (- ([v] * [k] / [d]))%turn)) (Fourier d))).
Definition chosen_column (d v : nat) : mat :=
  scaled (complex ([1] / [d])%turn t0) (mmul d (Fourier d) (mmul d (direct 1 1 (fun k => W (- ([v] * [k] / [d]))%turn)) Ones)).
Lemma one_of d v x : (v < d)%nat -> (x < d)%nat ->
  complex ([1] / [d])%turn t0 * sum d (fun k => root ([k] * (@inj K x - [v]) / [d])) = if Nat.eqb x v then 1 else 0.
Proof.
  intros Hv Hx. assert (N : @inj K d <> t0) by (apply inj_not_0; lia). rewrite root_sum by lia. rewrite !Nat.mod_small by assumption.
  destruct (Nat.eqb x v); [|ring]. rewrite complex_num, <- num_mul, <- num_one. f_equal. rewrite inj_1. field. exact N.
Qed.
Lemma row_entry d v x : (v < d)%nat -> (x < d)%nat -> chosen_row d v O x = if Nat.eqb x v then 1 else 0.
Proof.
  intros Hv Hx. rewrite <- one_of with (d := d) by assumption. assert (N : @inj K d <> t0) by (apply inj_not_0; lia). unfold chosen_row, scaled.
  f_equal. apply sum_ext. intros k Hk. unfold mmul. rewrite (sum_pick R d k); [| assumption |].
  - unfold direct. rewrite !Nat.div_1_r, Nat.eqb_refl. unfold W, Fourier, Ones. rewrite <- root_add. transitivity (root (- ([v] * [k] / [d]) + [k] * [x] / [d])%turn : R); [ring|].
    apply root_eq. field. exact N.
  - intros l Hl L. unfold direct. rewrite !Nat.div_1_r, (proj2 (Nat.eqb_neq k l)) by lia. ring.
Qed.
Lemma column_entry d v x : (v < d)%nat -> (x < d)%nat -> chosen_column d v x O = if Nat.eqb x v then 1 else 0.
Proof.
  intros Hv Hx. rewrite <- one_of with (d := d) by assumption. assert (N : @inj K d <> t0) by (apply inj_not_0; lia). unfold chosen_column, scaled.
  f_equal. apply sum_ext. intros k Hk. unfold mmul. rewrite (sum_pick R d k); [| assumption |].
  - unfold direct. rewrite !Nat.div_1_r, Nat.eqb_refl. unfold W, Fourier, Ones. transitivity (root ([x] * [k] / [d])%turn * root (- ([v] * [k] / [d]))%turn : R); [ring|].
    rewrite <- root_add. apply root_eq. field. exact N.
  - intros l Hl L. unfold direct. rewrite !Nat.div_1_r, (proj2 (Nat.eqb_neq k l)) by lia. ring.
Qed.
Lemma r_rows a d b n A B : (forall v, (v < d)%nat ->
    eqm (a * (1 * b)) n (mmul (a * (d * b)) (tensor (1 * b) (d * b) (I a) (tensor b b (chosen_row d v) (I b))) A)
      (mmul (a * (d * b)) (tensor (1 * b) (d * b) (I a) (tensor b b (chosen_row d v) (I b))) B)) ->
  eqm (a * (d * b)) n A B.
Proof.
  intros H i j Hi Hj. destruct (digits i a (d * b) Hi) as (x & z & Hx & Hz & ->), (digits z d b Hz) as (v & y & Hv & Hy & ->).
  assert (Hr : (x * (1 * b) + y < a * (1 * b))%nat) by nia. specialize (H v Hv _ j Hr Hj).
  assert (P : forall C, mmul (a * (d * b)) (tensor (1 * b) (d * b) (I a) (tensor b b (chosen_row d v) (I b))) C (x * (1 * b) + y)%nat j
    = C (x * (d * b) + (v * b + y))%nat j).
  { intro C. unfold mmul. rewrite (sum_pick R _ (x * (d * b) + (v * b + y))%nat); [| nia |].
    - unfold tensor. rewrite !mod_lin, !div_lin, Nat.div_small, Nat.mod_small by lia. unfold I, Id. rewrite !Nat.eqb_refl, row_entry, Nat.eqb_refl by assumption. ring.
    - intros k Hk L. destruct (digits k a (d * b) Hk) as (x' & z' & Hx' & Hz' & ->), (digits z' d b Hz') as (v' & y' & Hv' & Hy' & ->).
      unfold tensor. rewrite !mod_lin, !div_lin, Nat.div_small, Nat.mod_small by lia. unfold I, Id. rewrite row_entry by assumption.
      destruct (Nat.eqb_spec x x'), (Nat.eqb_spec v' v), (Nat.eqb_spec y y'); try ring. exfalso. apply L. now subst. }
  now rewrite !P in H.
Qed.
Lemma r_columns a d b n A B : (forall v, (v < d)%nat ->
    eqm n (a * (1 * b)) (mmul (a * (d * b)) A (tensor (d * b) (1 * b) (I a) (tensor b b (chosen_column d v) (I b))))
      (mmul (a * (d * b)) B (tensor (d * b) (1 * b) (I a) (tensor b b (chosen_column d v) (I b))))) ->
  eqm n (a * (d * b)) A B.
Proof.
  intros H j i Hj Hi. destruct (digits i a (d * b) Hi) as (x & z & Hx & Hz & ->), (digits z d b Hz) as (v & y & Hv & Hy & ->).
  assert (Hr : (x * (1 * b) + y < a * (1 * b))%nat) by nia. specialize (H v Hv j _ Hj Hr).
  assert (P : forall C, mmul (a * (d * b)) C (tensor (d * b) (1 * b) (I a) (tensor b b (chosen_column d v) (I b))) j (x * (1 * b) + y)%nat
    = C j (x * (d * b) + (v * b + y))%nat).
  { intro C. unfold mmul. rewrite (sum_pick R _ (x * (d * b) + (v * b + y))%nat); [| nia |].
    - unfold tensor. rewrite !mod_lin, !div_lin, Nat.div_small, Nat.mod_small by lia. unfold I, Id. rewrite !Nat.eqb_refl, column_entry, Nat.eqb_refl by assumption. ring.
    - intros k Hk L. destruct (digits k a (d * b) Hk) as (x' & z' & Hx' & Hz' & ->), (digits z' d b Hz') as (v' & y' & Hv' & Hy' & ->).
      unfold tensor. rewrite !mod_lin, !div_lin, Nat.div_small, Nat.mod_small by lia. unfold I, Id. rewrite column_entry by assumption.
      destruct (Nat.eqb_spec x' x), (Nat.eqb_spec v' v), (Nat.eqb_spec y' y); try ring. exfalso. apply L. now subst. }
  now rewrite !P in H.
Qed.

(* Sums over digits that stand in the phase only *)

Lemma same_all d (g : nat -> R) t : (forall x, (x < d)%nat -> g x = t) -> sum d g = complex [d] 0 * t.
Proof.
  intro H. rewrite (sum_ext _ d g (fun _ => t * 1)) by (intros; rewrite H by assumption; ring). rewrite sum_scale.
  assert (E : sum d (fun _ => 1) = num (@inj K d)).
  { clear. induction d; simpl; [now rewrite inj_0, num_0|]. rewrite IHd, inj_S, num_add, num_one. ring. }
  rewrite E, complex_num. ring.
Qed.

(* y = b - a modulo d where all roots of that sum are summed *)
Lemma found d a b (f : nat -> R) t : d <> O -> (forall y p q, (y < d)%nat -> (y + a + d * p = b + d * q)%nat -> f y = t) ->
  sum d (fun y => (if Nat.eqb ((y + a) mod d) (b mod d) then num [d] else 0) * f y) = complex [d] 0 * t.
Proof.
  intros Hd H. assert (M : forall x, (x = d * (x / d) + x mod d /\ x mod d < d)%nat) by (intro x; split; [now apply Nat.div_mod|now apply Nat.mod_upper_bound]).
  set (y := ((b + (d - a mod d)) mod d)%nat). assert (E : ((y + a) mod d = b mod d)%nat).
  { unfold y. rewrite Nat.add_mod_idemp_l by assumption. destruct (M a) as [Ea La].
    replace (b + (d - a mod d) + a)%nat with (b + (1 + a / d) * d)%nat by nia. now apply Nat.mod_add. }
  assert (Ly : (y < d)%nat) by apply M. clearbody y. rewrite (sum_pick R d y).
  - rewrite (proj2 (Nat.eqb_eq _ _) E), complex_num, (H y (b / d)%nat ((y + a) / d)%nat); [reflexivity|exact Ly|].
    destruct (M (y + a)%nat) as [A1 _], (M b) as [B1 _]. rewrite E in A1. revert A1 B1.
    generalize (d * ((y + a) / d))%nat (d * (b / d))%nat (b mod d)%nat. clear. intros. lia.
  - exact Ly.
  - intros k Hk N. destruct (Nat.eqb_spec ((k + a) mod d) (b mod d)) as [E'|]; [|ring]. exfalso. apply N.
    destruct (M (y + a)%nat) as [A1 _], (M (k + a)%nat) as [A2 _].
    rewrite E in A1. rewrite E' in A2. clear E E' H. revert A1 A2.
    generalize ((y + a) / d)%nat ((k + a) / d)%nat (b mod d)%nat. clear - Hk Ly. intros m n r A1 A2.
    destruct (Nat.lt_trichotomy m n) as [L|[->|L]]; nia.
Qed.
Lemma found_plus d a b (g : nat -> nat -> R) (f : nat -> R) t : d <> O ->
  (forall y x, (y < d)%nat -> (x < d)%nat -> g y x = root ([x] * ([y + a] - [b]) / [d]) * f y) ->
  (forall y p q, (y < d)%nat -> (y + a + d * p = b + d * q)%nat -> f y = t) -> sum d (fun y => sum d (g y)) = complex [d] 0 * t.
Proof.
  intros Hd G H. rewrite <- (found d a b f t Hd H). apply sum_ext. intros y Hy. rewrite <- root_sum by assumption.
  transitivity (f y * sum d (fun x => root ([x] * (@inj K (y + a) - [b]) / [d]))); [|ring].
  rewrite <- sum_scale. apply sum_ext. intros x Hx. rewrite G by assumption. ring.
Qed.
Lemma found_minus d a b (g : nat -> nat -> R) (f : nat -> R) t : d <> O ->
  (forall y x, (y < d)%nat -> (x < d)%nat -> g y x = root ([x] * ([b] - [y + a]) / [d]) * f y) ->
  (forall y p q, (y < d)%nat -> (y + a + d * p = b + d * q)%nat -> f y = t) -> sum d (fun y => sum d (g y)) = complex [d] 0 * t.
Proof.
  intros Hd G H. rewrite <- (found d a b f t Hd H). apply sum_ext. intros y Hy. rewrite Nat.eqb_sym, <- root_sum by assumption.
  transitivity (f y * sum d (fun x => root ([x] * (@inj K b - [y + a]) / [d]))); [|ring].
  rewrite <- sum_scale. apply sum_ext. intros x Hx. rewrite G by assumption. ring.
Qed.
Lemma turned d a b y p q : (y + a + d * p = b + d * q)%nat -> @inj K y = ([b] - [a] + [d] * ([q] - [p]))%turn.
Proof.
  intro H. apply (f_equal (@inj K)) in H. rewrite !inj_add, !inj_mul in H.
  transitivity ((@inj K y + [a] + [d] * [p]) - [a] - [d] * [p])%turn; [ring|]. rewrite H. ring.
Qed.
Lemma one_digit d y z p q : (y < d -> z < d -> y + 0 + d * p = z + d * q -> y = z)%nat.
Proof. intros. destruct (Nat.lt_trichotomy p q) as [L|[->|L]]; nia. Qed.
End Terms.

(* Sums over digits of sums *)
Ltac spread := first [ reflexivity | (repeat rewrite <- sum_add; apply sum_ext; intros ? _; cbv beta; spread) ].
Arguments I {K}. Arguments Fourier {K}. Arguments Fourier_bar {K}. Arguments Ones {K}. Arguments W {K} x%turn. Arguments tensor {K}. Arguments direct {K}.
Arguments scaled {K}. Arguments added {K}. Arguments complex {K} (x y)%turn. Arguments eqm {K}. Arguments same {K}. Arguments act {K}. Arguments root_shift _ (x y)%turn (m n)%nat.

(* Sizes: both sides are products of powers. *)

Ltac exponents := repeat first
  [ rewrite Nat.pow_add_r | rewrite Nat.pow_mul_l | rewrite Nat.pow_succ_r' | rewrite Nat.pow_0_r | rewrite Nat.mul_add_distr_l
  | rewrite Nat.mul_add_distr_r | rewrite Nat.mul_1_r | rewrite Nat.mul_1_l | rewrite Nat.mul_0_l | rewrite Nat.mul_0_r
  | rewrite Nat.add_0_l | rewrite Nat.add_0_r | rewrite Nat.pow_1_l ].
Ltac merge := repeat match goal with |- context [Nat.pow ?b ?x] => match goal with |- context [Nat.pow b ?y] =>
  tryif constr_eq x y then fail else replace (Nat.pow b x) with (Nat.pow b y) by (f_equal; ring) end end.
Ltac alike := first
  [ reflexivity | (apply (f_equal2 Nat.mul); alike) | (apply (f_equal2 Nat.pow); [reflexivity|ring]) ].
Ltac size := first [ alike | ring | (exponents; first [ ring | merge; ring ]) ].

Ltac positive := first
  [ assumption | discriminate | (apply Nat.pow_nonzero; positive) | (apply Nat.neq_mul_0; split; positive) | lia ].

(* 0 <= x < bound for what is written by digits. *)
Lemma below_1 : 0 < 1. Proof. auto. Qed.
Lemma below_cast x b c : x < b -> c = b -> x < c. Proof. now intros H ->. Qed.
Ltac bound := lazymatch goal with |- 0 < _ => exact below_1 | |- _ * _ + _ < _ => apply lin_lt; [bound|bound] | _ => eassumption end.
Ltac below := first [ assumption | eapply below_cast; [bound|size] ].

Ltac in_range := first [ below | (apply Nat.neq_0_lt_0; positive) ].

(* Phases *)

Ltac numbers := repeat first [ rewrite inj_add | rewrite inj_mul | rewrite inj_S | rewrite inj_0 ].
Ltac ones x := lazymatch x with
  | t1 => constr:(1) | t0 => constr:(0)
  | tadd ?a ?b => let m := ones a in let n := ones b in constr:(m + n)
  | tmul ?a ?b => let m := ones a in let n := ones b in constr:(m * n) end.
Ltac not_0 := lazymatch goal with
  | |- inj _ <> _ => apply inj_not_0; positive
  | |- ~ @eq (turn ?K) ?x _ => let n := ones x in let m := eval compute in n in
      replace x with (@inj K m) by (numbers; ring); apply inj_not_0; discriminate end.
Ltac alike_phase := first
  [ reflexivity | (apply (f_equal2 tadd); alike_phase) | (apply (f_equal2 tmul); alike_phase) | (apply (f_equal2 tdiv); alike_phase)
  | (apply (f_equal topp); alike_phase) | (apply (f_equal inj); alike) ].
Ltac phase := first [ alike_phase | (exponents; numbers; first [ ring | (field; repeat split; not_0) | (merge; field; repeat split; not_0) ]) ].

Ltac same := lazymatch goal with
  | |- same ?A ?A => apply same_refl
  | |- same (mmul _ _ _) _ => apply same_mmul; [size|same|same]
  | |- same (tensor _ _ _ _) _ => apply same_tensor; [size|size|same|same]
  | |- same (direct _ _ _) _ => apply same_direct; [size|size|intro; cbv beta; same]
  | |- same (Pi _ _ _ _) _ => apply same_Pi; [size|size|intros; cbv beta; same]
  | |- same (scaled _ _) _ => apply same_scaled; [apply complex_eq; phase|same]
  | |- same (added _ _) _ => apply same_added; [same|same]
  | |- same (I _) _ => apply same_I
  | |- same (Fourier _) _ => apply same_Fourier; size
  | |- same (Fourier_bar _) _ => apply same_Fourier_bar; size
  | |- same (Sh _ _) _ => apply same_Sh; size
  | |- same (W _) _ => apply same_W; phase
  | |- same _ _ => apply same_refl end.
Ltac concludes H := eapply conclude; [exact H|size|size|same|same].

(* A summand: phases, boxes and the entry of the vector. *)
Ltac phases c := lazymatch c with
  | times _ ?a (root ?p) => let q := phases a in constr:(tadd q p)
  | times _ ?a _ => phases a
  | one (ring ?K) => constr:(@t0 K) end.
Ltac gathered := lazymatch goal with |- times _ ?c (?v ?i) = times _ ?d (?v ?j) =>
  replace i with j by size;
  lazymatch d with context [root ?x] =>
    let p := phases c in let side := fresh in match goal with |- ?a = _ => set (side := a) end;
    replace (root x) with (root p) by (apply root_eq; phase); subst side;
    rewrite ?root_add, ?root_0; ring end end.
(* The number in front of a sum *)
Ltac pulled := lazymatch goal with
  | |- sum _ _ = times _ _ (sum _ _) => rewrite <- sum_scale; apply sum_ext; intros ? _; cbv beta; pulled
  | _ => idtac end.
Ltac numbered := rewrite ?complex_mul, ?complex_add; rewrite <- ?complex_0, <- ?complex_1; apply complex_eq; phase.

(* Sizes that are equal where k + l + 1 is the number of factors, which the hypotheses say *)
Ltac counted := first
  [ reflexivity | (apply (f_equal2 Nat.mul); counted) | (apply (f_equal2 Nat.pow); [reflexivity|lia]) | (subst; size) | (exfalso; lia) ].
