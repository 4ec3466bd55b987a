//@ run
//@ link: opapi nnopbase
/* The engine of operators without a framework: strides, broadcasting, types, families, and names that nothing computes.
 *
 * Expected values are PyTorch's for the same calls. */
#include "engine.h"

static void elementByElement(void)
{
    struct made column = DENSE(ACL_FLOAT, DIMS(2, 1), 1, 10), row = DENSE(ACL_FLOAT, DIMS(3), 1, 2, 3);
    struct made out = make(ACL_FLOAT, DIMS(2, 3), NULL, NULL, 6);
    CALL(aclnnAdd, (T, T, S, T, ENDS), column.tensor, row.tensor, real(2), out.tensor);
    EXPECT_VALUES("both operands are broadcast", &out, 3, 5, 7, 12, 14, 16);

    /* The transpose of a 3 × 2 matrix, by its strides. */
    struct made turned = make(ACL_FLOAT, DIMS(2, 3), (int64_t[]){1, 2}, (double[]){0, 3, 1, 4, 2, 5}, 6);
    CALL(aclnnMuls, (T, S, T, ENDS), turned.tensor, real(10), out.tensor);
    EXPECT_VALUES("strides are followed", &out, 0, 10, 20, 30, 40, 50);

    struct made large = DENSE(ACL_INT64, DIMS(2), 9007199254740992.0, 7), more = DENSE(ACL_INT64, DIMS(2), 1, -2);
    struct made whole = make(ACL_INT64, DIMS(2), NULL, NULL, 2), truth = make(ACL_BOOL, DIMS(2), NULL, NULL, 2);
    int64_t one = 1;
    aclScalar *unit = aclCreateScalar(&one, ACL_INT64);
    CALL(aclnnAdd, (T, T, S, T, ENDS), large.tensor, more.tensor, unit, whole.tensor);
    CALL(aclnnGtTensor, (T, T, T, ENDS), whole.tensor, large.tensor, truth.tensor);
    EXPECT_VALUES("64-bit integers are exact above 2^53", &truth, 1, 0);
    CALL(aclnnFloorDivide, (T, T, T, ENDS), large.tensor, more.tensor, whole.tensor);
    EXPECT_VALUES("the floor of a negative quotient", &whole, 9007199254740992.0, -4);

    CALL(aclnnInplaceMul, (T, T, ENDS), row.tensor, row.tensor);
    EXPECT_VALUES("in place", &row, 1, 4, 9);
    CALL(aclnnClamp, (T, S, S, T, ENDS), row.tensor, real(2), NULL, row.tensor);
    EXPECT_VALUES("a clamp without an upper bound", &row, 2, 4, 9);
    REFUSED(aclnnMul, (T, T, T, ENDS), column.tensor, out.tensor, row.tensor);
}

static void alongDimensions(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(2, 3), 1, 2, 3, 6, 5, 4), rows = make(ACL_FLOAT, DIMS(2), NULL, NULL, 2);
    struct made columns = make(ACL_FLOAT, DIMS(3), NULL, NULL, 3), places = make(ACL_INT64, DIMS(2), NULL, NULL, 2);
    struct made same = make(ACL_FLOAT, DIMS(2, 3), NULL, NULL, 6);
    aclIntArray *first = aclCreateIntArray((int64_t[]){0}, 1), *last = aclCreateIntArray((int64_t[]){-1}, 1);
    CALL(aclnnReduceSum, (T, const aclIntArray *, bool, aclDataType, T, ENDS), in.tensor, first, false, ACL_FLOAT, columns.tensor);
    EXPECT_VALUES("sums over the first dimension", &columns, 7, 7, 7);
    CALL(aclnnMean, (T, const aclIntArray *, bool, aclDataType, T, ENDS), in.tensor, last, false, ACL_FLOAT, rows.tensor);
    EXPECT_VALUES("means over the last dimension", &rows, 2, 5);
    CALL(aclnnMaxDim, (T, int64_t, bool, T, T, ENDS), in.tensor, 1, false, rows.tensor, places.tensor);
    EXPECT_VALUES("largest values", &rows, 3, 6);
    EXPECT_VALUES("and their places", &places, 2, 0);
    CALL(aclnnSoftmax, (T, int64_t, T, ENDS), in.tensor, 0, same.tensor);
    EXPECT_VALUES("softmax over the first dimension", &same, 0.00669285, 0.0474259, 0.268941, 0.993307, 0.952574, 0.731059);
    CALL(aclnnCumsum, (T, int64_t, aclDataType, T, ENDS), in.tensor, 1, ACL_FLOAT, same.tensor);
    EXPECT_VALUES("running sums", &same, 1, 3, 6, 6, 11, 15);
}

static void products(void)
{
    struct made left = DENSE(ACL_FLOAT, DIMS(2, 1, 2), 1, 2, 3, 4), right = DENSE(ACL_FLOAT, DIMS(2, 2), 1, 0, 1, 1);
    struct made out = make(ACL_FLOAT, DIMS(2, 1, 2), NULL, NULL, 4), sum = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    struct made bias = DENSE(ACL_FLOAT, DIMS(2), 100, 200);
    CALL(aclnnMatmul, (T, T, T, int8_t, ENDS), left.tensor, right.tensor, out.tensor, 1);
    EXPECT_VALUES("a batch of products", &out, 3, 2, 7, 4);
    CALL(aclnnAddmm, (T, T, T, S, S, T, int8_t, ENDS), bias.tensor, right.tensor, right.tensor, real(1), real(2), sum.tensor, 1);
    EXPECT_VALUES("a product and a bias", &sum, 102, 200, 104, 202);
    REFUSED(aclnnMatmul, (T, T, T, int8_t, ENDS), left.tensor, bias.tensor, sum.tensor, 1);
}

static void choices(void)
{
    struct made table = DENSE(ACL_FLOAT, DIMS(3, 2), 1, 2, 3, 4, 5, 6), numbers = DENSE(ACL_INT64, DIMS(2), 2, 0);
    struct made rows = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4), target = DENSE(ACL_INT64, DIMS(3), 1, 0, -100);
    struct made loss = make(ACL_FLOAT, 0, NULL, NULL, NULL, 1), weight = make(ACL_FLOAT, 0, NULL, NULL, NULL, 1);
    CALL(aclnnEmbedding, (T, T, T, ENDS), table.tensor, numbers.tensor, rows.tensor);
    EXPECT_VALUES("rows by number", &rows, 5, 6, 1, 2);
    CALL(aclnnNLLLoss, (T, T, T, int64_t, int64_t, T, T, ENDS), table.tensor, target.tensor, NULL, 1, -100, loss.tensor, weight.tensor);
    EXPECT_VALUES("the mean over classes that count", &loss, -2.5);
    EXPECT_VALUES("and how many these are", &weight, 2);
    aclTensorList *both = aclCreateTensorList((const aclTensor *[]){table.tensor, rows.tensor}, 2);
    struct made joined = make(ACL_FLOAT, DIMS(5, 2), NULL, NULL, 10);
    CALL(aclnnCat, (const aclTensorList *, int64_t, T, ENDS), both, 0, joined.tensor);
    EXPECT_VALUES("joined", &joined, 1, 2, 3, 4, 5, 6, 5, 6, 1, 2);
}

static void lists(void)
{
    struct made one = DENSE(ACL_FLOAT, DIMS(2), 1, 4), other = DENSE(ACL_FLOAT, DIMS(1), 9);
    aclTensorList *list = aclCreateTensorList((const aclTensor *[]){one.tensor, other.tensor}, 2);
    typedef const aclTensorList *L;
    CALL(aclnnForeachSqrt, (L, L, ENDS), list, list);
    EXPECT_VALUES("each tensor of a list", &one, 1, 2);
    EXPECT_VALUES("and the next", &other, 3);
    const aclScalar *factors[] = {real(10), real(100)};
    aclScalarList *scalars = aclCreateScalarList(factors, 2);
    CALL(aclnnForeachMulScalarList, (L, const aclScalarList *, L, ENDS), list, scalars, list);
    EXPECT_VALUES("with a number for each", &one, 10, 20);
    EXPECT_VALUES("of them", &other, 300);
    OK(aclDestroyScalarList(scalars));
}

static void planes(void)
{
    double picture[16];
    for (int i = 0; i < 16; i++) {
        picture[i] = i;
    }
    struct made in = make(ACL_FLOAT, DIMS(1, 1, 4, 4), NULL, picture, 16);
    struct made weight = DENSE(ACL_FLOAT, DIMS(1, 1, 3, 3), 0, 1, 0, 1, -4, 1, 0, 1, 0), bias = DENSE(ACL_FLOAT, DIMS(1), 7);
    struct made out = make(ACL_FLOAT, DIMS(1, 1, 2, 2), NULL, NULL, 4);
    typedef const aclIntArray *I;
    I two = aclCreateIntArray((int64_t[]){2, 2}, 2), one = aclCreateIntArray((int64_t[]){1, 1}, 2), none = aclCreateIntArray((int64_t[]){0, 0}, 2);
    CALL(aclnnConvolution, (T, T, T, I, I, I, bool, I, int64_t, T, int8_t, ENDS), in.tensor, weight.tensor, bias.tensor, two, one, one,
         false, none, 1, out.tensor, 1);
    EXPECT_VALUES("a convolution with padding and stride", &out, 12, 9, 0, 7);
    CALL(aclnnAvgPool2d, (T, I, I, I, bool, bool, int64_t, int8_t, T, ENDS), in.tensor, two, two, none, false, true, 0, 1, out.tensor);
    EXPECT_VALUES("averages of a plane", &out, 2.5, 4.5, 10.5, 12.5);
}

/* An operator that nothing computes: its signature is unknown, its result is left alone, and its executor lives as any other. */
static void standIn(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(2), 1, 2), out = make(ACL_FLOAT, DIMS(2), NULL, NULL, 2);
    CALL(aclnnFastGelu, (T, T, ENDS), in.tensor, out.tensor);
    EXPECT_VALUES("a stand-in leaves its result alone", &out, -1, -1);
    OK(setenv("ACLSIM_OPERATORS", "strict", 1));
    REFUSED(aclnnFastGelu, (T, T, ENDS), in.tensor, out.tensor);
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    elementByElement();
    alongDimensions();
    products();
    choices();
    lists();
    planes();
    standIn();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
