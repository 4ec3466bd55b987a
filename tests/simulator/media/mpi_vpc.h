/* The picture functions of libacl_dvpp_mpi.so. */
#ifndef SIMULATOR_MPI_VPC_H
#define SIMULATOR_MPI_VPC_H

#define DVPP_MPI_VPC_EXPORTS(X) \
    X(hi_mpi_vpc_create_chn) \
    X(hi_mpi_vpc_sys_create_chn) \
    X(hi_mpi_vpc_destroy_chn) \
    X(hi_mpi_vpc_crop) \
    X(hi_mpi_vpc_resize) \
    X(hi_mpi_vpc_crop_resize) \
    X(hi_mpi_vpc_crop_resize_paste) \
    X(hi_mpi_vpc_convert_color) \
    X(hi_mpi_vpc_get_process_result)

#endif
