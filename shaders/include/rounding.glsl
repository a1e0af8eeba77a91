// Sums and products that are rounded as the processor rounds them. What goes through `rounded` no compiler can contract
// or put in another order: none can know that nothing is changed.

uniform uint zero;          // 0

float rounded(float x) {
    return uintBitsToFloat(floatBitsToUint(x) ^ zero);
}

// a + b rounded, and what the rounding took from it (Knuth 1969).
vec2 two_sum(float a, float b) {
    float sum = rounded(a + b), of_b = rounded(sum - a);
    return vec2(sum, rounded(a - rounded(sum - of_b)) + rounded(b - of_b));
}

// a + b rounded to odd: of the two floats around the sum the one whose last bit is set, unless it is a float itself.
float odd_sum(float a, float b) {
    vec2 sum = two_sum(a, b);
    uint bits = floatBitsToUint(sum.x);
    bool away = (sum.x < 0.0) == (sum.y < 0.0);
    return sum.y == 0.0 || (bits & 1u) == 1u ? sum.x : uintBitsToFloat(away ? bits + 1u : bits - 1u);
}

// a + b + c with one rounding (Boldo and Melquiond 2008).
float sum_of_three(float a, float b, float c) {
    vec2 low = two_sum(b, c), high = two_sum(a, low.x);
    return rounded(high.x + odd_sum(high.y, low.y));
}

// Half of the digits of x: products of such halves are floats.
float upper_half(float x) {
    return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u);
}

// a * b + c with one rounding, the processor's fused multiply-add; the product in two floats is Dekker's (1971).
float fused(float a, float b, float c) {
    float product = rounded(a * b), a_high = upper_half(a), b_high = upper_half(b);
    float a_low = rounded(a - a_high), b_low = rounded(b - b_high);
    float rest = rounded(rounded(rounded(a_high * b_high) - product) + rounded(a_high * b_low));
    rest = rounded(rounded(rest + rounded(a_low * b_high)) + rounded(a_low * b_low));
    return sum_of_three(product, c, rest);
}
