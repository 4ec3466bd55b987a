/* The functions that create and destroy histograms, maps of colors and borders, by what they answer. */
#ifndef SIMULATOR_ABSENT_PICTURES_H
#define SIMULATOR_ABSENT_PICTURES_H

#define PICTURES_CODE_EXPORTS(X) \
    X(acldvppDestroyHist) \
    X(acldvppDestroyLutMap) \
    X(acldvppDestroyBorderConfig)

#define PICTURES_POINTER_EXPORTS(X) \
    X(acldvppCreateHist) \
    X(acldvppCreateLutMap) \
    X(acldvppCreateBorderConfig)

#endif
