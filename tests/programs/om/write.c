/* write FILE: a small offline model, 60 bytes in, 20 out, for programs that load one from a file. */
#include "../simulator/om_plans.h"

int main(int count, char **arguments)
{
    struct bytes model = plainModel('D');
    FILE *file = count == 2 ? fopen(arguments[1], "wb") : NULL;
    bool is_written = file != NULL && fwrite(model.data, 1, model.length, file) == model.length;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    free(model.data);
    return is_written ? 0 : 1;
}
