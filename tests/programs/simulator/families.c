//@ run
//@ link: opapi nnopbase
/* Families of operators that PyTorch's own tests ask for: factors of matrices, masks as indices, pads, and tensors without elements.
 *
 * Expected values are PyTorch's for the same calls. */
#include "engine.h"

static void empties(void)
{
    struct made left = make(ACL_FLOAT, DIMS(2, 0), NULL, (double[]){9}, 1), right = make(ACL_FLOAT, DIMS(0, 2), NULL, (double[]){9}, 1);
    struct made out = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnMatmul, (T, T, T, int8_t, ENDS), left.tensor, right.tensor, out.tensor, 1);
    EXPECT_VALUES("a product over nothing", &out, 0, 0, 0, 0);
}

static void factors(void)
{
    struct made matrix = DENSE(ACL_FLOAT, DIMS(2, 2), 4, 2, 2, 5), lower = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnLinalgCholesky, (T, bool, T, ENDS), matrix.tensor, false, lower.tensor);
    EXPECT_VALUES("Cholesky's factor", &lower, 2, 0, 1, 2);
    struct made right = DENSE(ACL_FLOAT, DIMS(2, 1), 2, 5), solved = make(ACL_FLOAT, DIMS(2, 1), NULL, NULL, 2), copy = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnTriangularSolve, (T, T, bool, bool, bool, T, T, ENDS), right.tensor, lower.tensor, false, false, false, solved.tensor, copy.tensor);
    EXPECT_VALUES("a triangular system", &solved, 1, 2);
    struct made turned = DENSE(ACL_FLOAT, DIMS(2, 2), 0, 3, -2, 0), values = make(ACL_FLOAT, DIMS(2), NULL, NULL, 2);
    struct made u = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4), v = make(ACL_FLOAT, DIMS(2, 2), NULL, NULL, 4);
    CALL(aclnnSvd, (T, bool, bool, T, T, T, ENDS), turned.tensor, false, true, values.tensor, u.tensor, v.tensor);
    EXPECT_VALUES("singular values", &values, 3, 2);
}

static void masks(void)
{
    struct made table = DENSE(ACL_FLOAT, DIMS(3, 2), 1, 2, 3, 4, 5, 6), mask = DENSE(ACL_BOOL, DIMS(3), 1, 0, 1);
    struct made none = DENSE(ACL_BOOL, DIMS(3), 0, 0, 0), added = DENSE(ACL_FLOAT, DIMS(2), 10, 20);
    aclTensorList *some = aclCreateTensorList((const aclTensor *[]){mask.tensor}, 1), *no = aclCreateTensorList((const aclTensor *[]){none.tensor}, 1);
    typedef const aclTensorList *L;
    CALL(aclnnIndexPutImpl, (T, L, T, bool, bool, ENDS), table.tensor, some, added.tensor, true, false);
    EXPECT_VALUES("rows that a mask names", &table, 11, 22, 3, 4, 15, 26);
    CALL(aclnnIndexPutImpl, (T, L, T, bool, bool, ENDS), table.tensor, no, added.tensor, true, false);
    EXPECT_VALUES("a mask that names none", &table, 11, 22, 3, 4, 15, 26);
}

static void padded(void)
{
    struct made in = DENSE(ACL_FLOAT, DIMS(1, 3), 1, 2, 3), out = make(ACL_FLOAT, DIMS(1, 6), NULL, NULL, 6);
    typedef const aclIntArray *I;
    I around = aclCreateIntArray((int64_t[]){2, 1}, 2);
    CALL(aclnnReflectionPad1d, (T, I, T, ENDS), in.tensor, around, out.tensor);
    EXPECT_VALUES("a reflection", &out, 3, 2, 1, 2, 3, 2);
    CALL(aclnnReplicationPad1d, (T, I, T, ENDS), in.tensor, around, out.tensor);
    EXPECT_VALUES("a border", &out, 1, 1, 1, 2, 3, 3);
}

int main(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    empties();
    factors();
    masks();
    padded();
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    return 0;
}
