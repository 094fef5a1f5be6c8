(* fht-factorization: H_N = L_n ... L_2 L_1 P_N for N = 2^n, every commutative ring with 1/2 and i, and every w with w^(N/2) = -1. *)

From Nodewright Require Import Bsp16.

Section Hartley.
Variable R : CRing.
Add Ring R : (laws R).
Declare Scope ring_scope.
Notation "0" := (zero R) : ring_scope. Notation "1" := (one R) : ring_scope.
Infix "+" := (plus R) : ring_scope. Infix "*" := (times R) : ring_scope. Notation "- x" := (opp R x) : ring_scope.
Infix "-" := (minus R) : ring_scope.
Local Open Scope ring_scope.

Variables half i : R.
Hypothesis half_is : half + half = 1.
Hypothesis i_is : i * i = - (1).

(* A root of unity and its inverse. *)
Definition pair : Type := (R * R)%type.
Definition squares (x : pair) : pair := (fst x * fst x, snd x * snd x).
Definition pair_of_roots (n : nat) (x : pair) : Prop := root n (fst x) /\ fst x * snd x = 1.

(* cos and sin of k turns of the root, by Euler's formulas; cas = cos + sin. *)
Definition cosine (x : pair) (k : nat) : R := half * (pow (fst x) k + pow (snd x) k).
Definition sine (x : pair) (k : nat) : R := - i * half * (pow (fst x) k - pow (snd x) k).
Definition cas (x : pair) (k : nat) : R := cosine x k + sine x k.
Definition H (x : pair) : mat R := fun j k => cas x (j * k).

Definition madd (A B : mat R) : mat R := fun j k => A j k + B j k.
(* The permutation u -> -u mod h. *)
Definition negation (h : nat) : mat R := fun j k => if Nat.eqb k ((h - j) mod h) then 1 else 0.
(* [[I, T], [I, -T]] with T = diag(cos u) + diag(sin u) (u -> -u mod h), as (F_2 ⊗ I_h) (diag(I, cos) + diag(0, sin) (I_2 ⊗ negation)). *)
Definition hartley_butterfly (h : nat) (x : pair) : mat R :=
  mmul (2 * h) (kron h (F (- (1))) Id)
    (madd (diagonal (fun k => cosine x (k / h * (k mod h))))
          (mmul (2 * h) (diagonal (fun k => sine x (k / h * (k mod h)))) (kron h Id (negation h)))).

Lemma cosine_0 x : cosine x 0 = 1.
Proof. unfold cosine. simpl. transitivity (half + half); [ring|exact half_is]. Qed.

Lemma sine_0 x : sine x 0 = 0.
Proof. unfold sine. simpl. ring. Qed.

Lemma mmul_madd d A B M j k : mmul d (madd A B) M j k = mmul d A M j k + mmul d B M j k.
Proof. unfold mmul, madd. rewrite <- sum_add. apply sum_ext. intros. ring. Qed.

Lemma negation_sum h (M : mat R) (e u j : nat) : (e < 2)%nat -> (u < h)%nat ->
  mmul (2 * h) (kron h Id (negation h)) M (e * h + u)%nat j = M (e * h + (h - u) mod h)%nat j.
Proof.
  intros He Hu. assert ((h - u) mod h < h)%nat by (apply Nat.mod_upper_bound; lia). unfold mmul.
  rewrite (sum_pick R (2 * h) (e * h + (h - u) mod h)).
  - unfold kron, negation, Id. rewrite (div_lin e u h), (mod_lin e u h), div_lin, mod_lin, !Nat.eqb_refl by assumption. ring.
  - now apply lin_lt.
  - intros k Hk Hn. destruct (digits k 2 h Hk) as (f & v & Hf & Hv & ->). unfold kron, negation, Id.
    rewrite (div_lin e u h), (mod_lin e u h), (div_lin f v h), (mod_lin f v h) by assumption.
    destruct (Nat.eqb_spec e f) as [->|]; [|ring]. destruct (Nat.eqb_spec v ((h - u) mod h)) as [->|]; [|ring]. now elim Hn.
Qed.

Lemma hartley_sum h x (M : mat R) (e u j : nat) : (e < 2)%nat -> (u < h)%nat ->
  (j < 2 * h)%nat ->
  mmul (2 * h) (hartley_butterfly h x) M (e * h + u)%nat j =
    M u j + pow (- (1)) e * (cosine x u * M (h + u)%nat j + sine x u * M (h + (h - u) mod h)%nat j).
Proof.
  intros He Hu Hj. assert (e * h + u < 2 * h)%nat by now apply lin_lt. unfold hartley_butterfly.
  rewrite mmul_assoc, halves_sum by assumption. rewrite div_lin, mod_lin by assumption.
  rewrite !mmul_madd, !diagonal_mmul by lia. rewrite !mmul_assoc, !diagonal_mmul by lia.
  assert (E0 : mmul (2 * h) (kron h Id (negation h)) M u j = M ((h - u) mod h) j) by (apply (negation_sum h M 0 u j); lia).
  assert (E1 : mmul (2 * h) (kron h Id (negation h)) M (h + u)%nat j = M (h + (h - u) mod h)%nat j).
  { pose proof (negation_sum h M 1 u j) as E. rewrite !Nat.mul_1_l in E. apply E; lia. }
  rewrite E0, E1. replace ((h + u) / h)%nat with 1%nat by (symmetry; rewrite <- (Nat.mul_1_l h) at 1; now apply div_lin).
  replace ((h + u) mod h) with u by (symmetry; rewrite <- (Nat.mul_1_l h) at 1; now apply mod_lin).
  rewrite (Nat.div_small u h), (Nat.mod_small u h) by assumption. rewrite Nat.mul_0_l, Nat.mul_1_l, cosine_0, sine_0. ring.
Qed.

Lemma inverse_power a b n : a * b = 1 -> pow a n * pow b n = 1.
Proof. intro E. rewrite <- pow_times, E. apply pow_one. Qed.

Lemma turned h a b u : pow a h = 1 -> a * b = 1 -> (u < h)%nat -> pow a ((h - u) mod h) = pow b u.
Proof.
  intros root E Hu. destruct u as [|u]. { rewrite Nat.sub_0_r, Nat.mod_same by lia. reflexivity. }
  rewrite Nat.mod_small by lia.
  transitivity (pow a (h - S u) * (pow a (S u) * pow b (S u))). { rewrite inverse_power by assumption. ring. }
  transitivity (pow a (h - S u + S u) * pow b (S u)). { rewrite pow_add. ring. }
  replace (h - S u + S u)%nat with h by lia. rewrite root. ring.
Qed.

Lemma half_squared : half = half * half + half * half.
Proof. transitivity (half * (half + half)); [rewrite half_is|]; ring. Qed.

Lemma addition w v W V :
  half * (w * W + v * V) + - i * half * (w * W - v * V)
  = half * (w + v) * (half * (W + V) + - i * half * (W - V)) + - i * half * (w - v) * (half * (V + W) + - i * half * (V - W)).
Proof.
  transitivity ((half * half + half * half) * ((w * W + v * V) - i * (w * W - v * V))).
  - rewrite <- half_squared. ring.
  - ring [i_is].
Qed.

(* H_2h = [[I, T], [I, -T]] (I_2 ⊗ H_h) S_{2,2h} *)
Lemma hartley_step h x : pow (fst x) h = - (1) -> fst x * snd x = 1 ->
  meq (2 * h) (H x) (mmul (2 * h) (hartley_butterfly h x) (mmul (2 * h) (kron h Id (H (squares x))) (Sh 2 h))).
Proof.
  destruct x as [w v]. cbn [fst snd]. intros root inverse j k Hj Hk.
  assert (root' : pow v h = - (1)).
  { pose proof (inverse_power w v h inverse) as E. rewrite root in E. transitivity (- (- (1) * pow v h)); [ring|]. rewrite E. reflexivity. }
  destruct (digits j 2 h Hj) as (e & u & He & Hu & ->). rewrite hartley_sum by assumption.
  assert (Hn : ((h - u) mod h < h)%nat) by (apply Nat.mod_upper_bound; lia).
  rewrite !mmul_Sh by auto. rewrite Nat.mul_comm in Hk. destruct (digits k h 2 Hk) as (a & b & Ha & Hb & ->).
  unfold kron, shuffle, H, Id. rewrite (div_lin a b 2), (mod_lin a b 2), (div_lin b a h), (mod_lin b a h) by assumption.
  rewrite (Nat.div_small u h), (Nat.mod_small u h) by assumption.
  replace (h + u)%nat with (1 * h + u)%nat by lia. replace (h + (h - u) mod h)%nat with (1 * h + (h - u) mod h)%nat by lia.
  rewrite (div_lin 1 u h), (mod_lin 1 u h), (div_lin 1 _ h), (mod_lin 1 _ h) by assumption.
  unfold cas, cosine, sine, squares; cbn [fst snd].
  replace ((e * h + u) * (a * 2 + b))%nat with (h * (2 * (e * a)) + (h * (e * b) + (u * b + (u * a + u * a))))%nat by lia.
  rewrite !pow_add, !(pow_mul R w h), !(pow_mul R v h), root, root', even_sign.
  assert (Ew : pow (w * w) ((h - u) mod h * a) = pow v (u * a) * pow v (u * a)).
  { rewrite pow_mul, (turned h (w * w) (v * v)); [rewrite <- pow_mul; apply pow_times| | |assumption].
    - rewrite pow_times, root. ring.
    - transitivity ((w * v) * (w * v)); [ring|]. rewrite inverse. ring. }
  assert (Ev : pow (v * v) ((h - u) mod h * a) = pow w (u * a) * pow w (u * a)).
  { rewrite pow_mul, (turned h (v * v) (w * w)); [rewrite <- pow_mul; apply pow_times| | |assumption].
    - rewrite pow_times, root'. ring.
    - transitivity ((w * v) * (w * v)); [ring|]. rewrite inverse. ring. }
  rewrite Ew, Ev, !pow_times.
  destruct b as [|[|b]]; [| |lia].
  - rewrite !Nat.mul_0_r. simpl. ring.
  - rewrite !Nat.mul_1_r. cbn [Nat.eqb]. set (s := pow (- (1)) e).
    transitivity (s * (half * (pow w u * (pow w (u * a) * pow w (u * a)) + pow v u * (pow v (u * a) * pow v (u * a)))
      + - i * half * (pow w u * (pow w (u * a) * pow w (u * a)) - pow v u * (pow v (u * a) * pow v (u * a))))); [ring|].
    rewrite addition. ring.
Qed.

Lemma squares_good n x : pair_of_roots (S n) x -> pair_of_roots n (squares x).
Proof.
  intros [H E]. split; cbn [fst snd squares]; [now apply root_square|].
  transitivity ((fst x * snd x) * (fst x * snd x)); [ring|]. rewrite E. ring.
Qed.

(* L_s = I_{2^l} ⊗ [[I, T], [I, -T]], s = k + 1. *)
Definition hartley_stages (n : nat) (x : pair) : mat R := stages squares (fun k => hartley_butterfly (2 ^ k)) n x.

Theorem fht_factorization (n : nat) (x : pair) : pair_of_roots n x ->
  meq (2 ^ n) (H x) (mmul (2 ^ n) (hartley_stages n x) (reversal n)).
Proof.
  apply (decimation R pair squares (fun k => hartley_butterfly (2 ^ k)) (fun _ => H) pair_of_roots).
  - intros y _ j k Hj Hk. unfold H, cas, Id. replace j with O by lia. replace k with O by lia. simpl. rewrite cosine_0, sine_0. ring.
  - exact squares_good.
  - intros m y [Hy E]. now apply (hartley_step (2 ^ m)).
Qed.
End Hartley.

Print Assumptions fht_factorization.
