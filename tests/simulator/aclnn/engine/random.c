/* Random numbers: the same for the same seed and offset, though not the chip's. */
#include <math.h>
#include <stdlib.h>

#include "operator.h"

/* splitmix64 */
static uint64_t mixed(uint64_t seed, uint64_t offset, uint64_t at)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15 + (offset << 32) + at;
    for (int round = 0; round < 2; round++) {
        state += 0x9e3779b97f4a7c15;
        state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
        state = (state ^ state >> 27) * 0x94d049bb133111eb;
        state ^= state >> 31;
    }
    return state;
}

/* From 0 up to 1, without 1. */
static double uniform(const struct plan *plan, int seed, int64_t at)
{
    return (double)(mixed((uint64_t)integerAt(plan, seed), (uint64_t)integerAt(plan, seed + 1), (uint64_t)at) >> 11) * 0x1p-53;
}

static double normal(const struct plan *plan, int seed, int64_t at)
{
    double radius = sqrt(-2 * log(1 - uniform(plan, seed, 2 * at)));
    return radius * cos(2 * M_PI * uniform(plan, seed, 2 * at + 1));
}

enum kind { UNIFORM, NORMAL, WHOLE, CHANCE };

/* Single precision may round up to the end, which is not in the interval. */
static double below(double value, double end)
{
    return (float)value < end ? value : nextafterf((float)end, -INFINITY);
}

/* tensor (and a chance for each element), two numbers or one, seed, offset, [result] */
static aclError draw(const struct plan *plan)
{
    enum kind kind = (enum kind)plan->row->code;
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? &plan->operands[0] : &plan->operands[plan->count - 1];
    const struct aclTensor *chances = argumentAt(plan, 1)->kind == 'T' ? tensorAt(plan, 1) : NULL;
    int64_t count = operandCount(out);
    int seed = kind == CHANCE ? 2 : 3;
    double *values = malloc(((size_t)count + 1) * sizeof *values), *chance = chances ? realsOf(chances) : NULL;
    double first = numberAt(plan, 1), second = numberAt(plan, 2);
    bool is_ready = values && (!chances || chance);
    for (int64_t i = 0; is_ready && i < count; i++) {
        double value = kind == NORMAL ? 0 : uniform(plan, seed, i);
        values[i] = kind == UNIFORM  ? below(first + value * (second - first), second)
                    : kind == NORMAL ? first + second * normal(plan, seed, i)
                    : kind == WHOLE  ? floor(first + value * (second - first))
                                     : value < (chance ? chance[operandCount(chances) == 1 ? 0 : i] : first);
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(values);
    free(chance);
    return code;
}

/* how many, seed, offset, result */
static aclError permutation(const struct plan *plan)
{
    int64_t count = operandCount(&plan->operands[0]), *order = malloc(((size_t)count + 1) * sizeof *order);
    for (int64_t i = 0; order && i < count; i++) {
        int64_t other = (int64_t)(uniform(plan, 1, i) * (double)(i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    aclError code = order ? storeIntegers(&plan->operands[0], order) : NO_ROOM;
    free(order);
    return code;
}

/* weights, how many, whether one may come twice, seed, offset, result */
static aclError multinomial(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *out = &plan->operands[1];
    int64_t classes = in->dims[in->rank - 1], draws = out->dims[out->rank - 1], rows = operandCount(in) / (classes ? classes : 1);
    double *weights = realsOf(in);
    int64_t *results = malloc(((size_t)(rows * draws) + 1) * sizeof *results);
    bool is_ready = weights && results;
    for (int64_t i = 0; is_ready && i < rows * draws; i++) {
        double *row = weights + i / draws * classes, sum = 0, target;
        for (int64_t k = 0; k < classes; k++) {
            sum += row[k];
        }
        target = uniform(plan, 3, i) * sum;
        int64_t found = 0, last = 0;
        for (; found < classes; found++) {
            last = row[found] > 0 ? found : last;
            target -= row[found];
            if (target < 0 && row[found] > 0) {
                break;
            }
        }
        results[i] = found == classes ? last : found;
        if (integerAt(plan, 2) == 0) {
            row[results[i]] = 0;
        }
    }
    aclError code = is_ready ? storeIntegers(out, results) : UNMAPPED;
    free(weights);
    free(results);
    return code;
}

/* shape, chance of a zero, seed, offset, [type,] result: a bit for each element */
static aclError mask(const struct plan *plan)
{
    const struct aclTensor *out = &plan->operands[0];
    int64_t count = 1, bytes = operandCount(out);
    for (int i = 0; i < countAt(plan, 0); i++) {
        count *= integersAt(plan, 0)[i];
    }
    int64_t *values = calloc((size_t)bytes + 1, sizeof *values);
    for (int64_t i = 0; values && i < count && i / 8 < bytes; i++) {
        values[i / 8] |= (int64_t)(uniform(plan, 2, i) >= numberAt(plan, 1)) << (i % 8);
    }
    aclError code = values ? storeIntegers(out, values) : NO_ROOM;
    free(values);
    return code;
}

/* tensor, mask of bits, chance of a zero, result */
static aclError masked(const struct plan *plan)
{
    const struct aclTensor *in = &plan->operands[0], *bits = &plan->operands[1], *out = &plan->operands[2];
    int64_t *set = integersOf(bits), count = operandCount(in);
    double *values = realsOf(in), chance = numberAt(plan, 2);
    bool is_ready = set && values && operandCount(bits) * 8 >= count;
    for (int64_t i = 0; is_ready && i < count; i++) {
        values[i] = set[i / 8] >> (i % 8) & 1 ? values[i] / (1 - chance) : 0;
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(set);
    free(values);
    return code;
}

/* tensor, shape of the noise, chance of a zero, seed, offset, result, mask of bits */
static aclError dropout(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 5), *bits = tensorAt(plan, 6);
    double *values = realsOf(&plan->operands[0]), chance = numberAt(plan, 2);
    int64_t bytes = operandCount(bits), *set = calloc((size_t)bytes + 1, sizeof *set);
    bool is_ready = values && set;
    for (int64_t i = 0; is_ready && i < operandCount(out); i++) {
        bool is_kept = uniform(plan, 3, i) >= chance;
        values[i] = is_kept ? values[i] / (1 - chance) : 0;
        if (i / 8 < bytes) {
            set[i / 8] |= (int64_t)is_kept << (i % 8);
        }
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    code = code == ACL_SUCCESS ? storeIntegers(bits, set) : code;
    free(values);
    free(set);
    return code;
}

/* mean, deviation (numbers or tensors), seed, offset, result */
static aclError drawAround(const struct plan *plan)
{
    const struct aclTensor *out = tensorAt(plan, 4);
    int64_t count = operandCount(out);
    double *values = malloc(((size_t)count + 1) * sizeof *values), each[2];
    struct spread spreads[2];
    bool is_ready = values != NULL;
    for (int which = 0; which < 2; which++) {
        const struct aclTensor *tensor = tensorAt(plan, which);
        is_ready = is_ready && (tensor == NULL || spreadOver(&spreads[which], tensor, out->rank, out->dims));
    }
    for (int64_t i = 0; is_ready && i < count; i++) {
        for (int which = 0; which < 2; which++) {
            each[which] = numberAt(plan, which);
            if (tensorAt(plan, which) != NULL) {
                takeReals(&spreads[which], i, 1, &each[which]);
            }
        }
        values[i] = each[0] + each[1] * normal(plan, 2, i);
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    free(values);
    return code;
}

/* tensor, slopes that were drawn, least, most, training, seed, offset, [result] */
static aclError leakyAtRandom(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *noise = tensorAt(plan, 1), *out = plan->row->arguments[0] == '=' ? in : tensorAt(plan, 7);
    double *values = realsOf(in), *slopes = realsOf(noise), least = numberAt(plan, 2), most = numberAt(plan, 3);
    bool is_ready = values && slopes, is_training = integerAt(plan, 4) != 0;
    for (int64_t i = 0; is_ready && i < operandCount(in); i++) {
        double slope = values[i] > 0 ? 1 : is_training ? least + uniform(plan, 5, i) * (most - least) : (least + most) / 2;
        values[i] *= slope;
        if (is_training) {
            slopes[i] = slope;
        }
    }
    aclError code = is_ready ? storeReals(out, values) : UNMAPPED;
    code = code == ACL_SUCCESS && is_training ? storeReals(noise, slopes) : code;
    free(values);
    free(slopes);
    return code;
}

/* One chance, or one for each element. */
static bool chancesFit(const struct plan *plan)
{
    const struct aclTensor *out = plan->row->arguments[0] == '=' ? tensorAt(plan, 0) : tensorAt(plan, 4);
    int64_t chances = operandCount(tensorAt(plan, 1));
    return chances == 1 || chances == operandCount(out);
}

/* Slopes are kept in training only. */
static bool noiseFits(const struct plan *plan)
{
    return integerAt(plan, 4) == 0 || operandCount(tensorAt(plan, 1)) == operandCount(tensorAt(plan, 0));
}

static bool drawsFit(const struct plan *plan)
{
    const struct aclTensor *in = tensorAt(plan, 0), *out = tensorAt(plan, 5);
    int64_t classes = in->dims[in->rank - 1], draws = out->dims[out->rank - 1];
    int64_t rows = operandCount(in) / (classes ? classes : 1);
    return operandCount(out) == rows * draws && (classes > 0 || operandCount(out) == 0);
}

static bool haveBits(const struct aclTensor *bits, int64_t count)
{
    return operandCount(bits) >= (count + 7) / 8 || refuse("a mask of shape %s has not %lld bits", shapeText(bits), (long long)count);
}

static bool bitsFit(const struct plan *plan)
{
    return haveBits(tensorAt(plan, 1), operandCount(tensorAt(plan, 0)));
}

static bool madeBitsFit(const struct plan *plan)
{
    return haveBits(tensorAt(plan, 6), operandCount(tensorAt(plan, 0)));
}

static bool shapeFits(const struct plan *plan)
{
    int64_t count = 1;
    for (int i = 0; i < countAt(plan, 0); i++) {
        if (integersAt(plan, 0)[i] < 0 || __builtin_mul_overflow(count, integersAt(plan, 0)[i], &count) || count > INT64_MAX - 7) {
            return refuse("argument 1 is no shape");
        }
    }
    return haveBits(&plan->operands[0], count);
}
#define CHANCES "argument 2 has neither one element nor as many as the result"
#define NOISE "argument 2 has not as many elements as argument 1"
#define BITS "the mask has too few bits"

#define ROW(operator, letters, function, what, ...) OPERATOR(operator, letters, function, CHECKS(__VA_ARGS__), .code = what)

const struct operator_row randomRows[] = {
    ROW("InplaceUniform", "=Tddnn", draw, UNIFORM, NO_CHECKS("it fills whatever it is given")),
    ROW("InplaceNormal", "=Tffnn", draw, NORMAL, NO_CHECKS("it fills whatever it is given")),
    ROW("InplaceRandom", "=Tnnnn", draw, WHOLE, NO_CHECKS("it fills whatever it is given")),
    ROW("InplaceBernoulli", "=TSnn", draw, CHANCE, NO_CHECKS("it fills whatever it is given")),
    ROW("InplaceBernoulliTensor", "=TTnn", draw, CHANCE, FITS(chancesFit, CHANCES)),
    ROW("Bernoulli", "TSnnT", draw, CHANCE, NO_CHECKS("the result is filled, whatever its shape is")),
    ROW("BernoulliTensor", "TTnnT", draw, CHANCE, FITS(chancesFit, CHANCES)),
    ROW("NormalTensorTensor", "TTnnT", drawAround, 0, SPREADS(0, 4), SPREADS(1, 4)),
    ROW("NormalTensorFloat", "TfnnT", drawAround, 0, SPREADS(0, 4)),
    ROW("NormalFloatTensor", "fTnnT", drawAround, 0, SPREADS(1, 4)),
    ROW("NormalFloatFloat", "ffnnT", drawAround, 0, NO_CHECKS("the result is filled, whatever its shape is")),
    ROW("RReluWithNoise", "TTSSbnnT", leakyAtRandom, 0, FITS(noiseFits, NOISE), AS_MANY(RESULT, 0)),
    ROW("InplaceRReluWithNoise", "=TTSSbnn", leakyAtRandom, 0, FITS(noiseFits, NOISE)),
    ROW("Randperm", "nnnT", permutation, 0, COUNTED(3, 0)),
    ROW("Multinomial", "TnbnnT", multinomial, 0, RANKS(0, 1, RANK), RANKS(5, 1, RANK), FITS(drawsFit, "argument 6 has other rows than argument 1")),
    ROW("DropoutGenMask", "IdnnT", mask, 0, FITS(shapeFits, BITS)),
    ROW("DropoutGenMaskV2", "IdnneT", mask, 0, FITS(shapeFits, BITS)),
    ROW("DropoutDoMask", "TTdT", masked, 0, FITS(bitsFit, BITS), AS_MANY(3, 0)),
    ROW("DropoutV3", "TtdnnTT", dropout, 0, AS_MANY(5, 0), FITS(madeBitsFit, BITS)),
    ROW("DropoutV3Grad", "TTdT", masked, 0, FITS(bitsFit, BITS), AS_MANY(3, 0)),
    {0},
};
