/* The part of `prototypes.cpp` about offline models, inside its `extern "C"`. */
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *);
aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *, size_t);
aclError aclmdlLoadFromFile(const char *, uint32_t *);
aclError aclmdlLoadFromMem(const void *, size_t, uint32_t *);
aclError aclmdlLoadFromFileWithMem(const char *, uint32_t *, void *, size_t, void *, size_t);
aclError aclmdlLoadFromMemWithMem(const void *, size_t, uint32_t *, void *, size_t, void *, size_t);
aclError aclmdlSetConfigOpt(aclmdlConfigHandle *, aclmdlConfigAttr, const void *, size_t);
aclError aclmdlLoadWithConfig(const aclmdlConfigHandle *, uint32_t *);
aclError aclmdlUnload(uint32_t);
aclError aclmdlSetDynamicBatchSize(uint32_t, aclmdlDataset *, size_t, uint64_t);
aclError aclmdlSetDynamicHWSize(uint32_t, aclmdlDataset *, size_t, uint64_t, uint64_t);
aclError aclmdlSetInputDynamicDims(uint32_t, aclmdlDataset *, size_t, const aclmdlIODims *);
aclError aclmdlSetInputAIPP(uint32_t, aclmdlDataset *, size_t, const aclmdlAIPP *);
aclError aclmdlSetAIPPByInputIndex(uint32_t, aclmdlDataset *, size_t, const aclmdlAIPP *);
aclError aclmdlGetAippDataSize(uint64_t, size_t *);
aclError aclmdlGetAippType(uint32_t, size_t, aclmdlInputAippType *, size_t *);
aclError aclmdlExecute(uint32_t, const aclmdlDataset *, aclmdlDataset *);
aclError aclmdlExecuteAsync(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream);
#ifndef LACKS_MALLOC_CONFIG
aclError aclmdlBundleLoadFromFile(const char *, uint32_t *);
aclError aclmdlBundleLoadFromMem(const void *, size_t, uint32_t *);
aclError aclmdlBundleInitFromFile(const char *, void *, size_t, uint32_t *);
aclError aclmdlBundleInitFromMem(const void *, size_t, void *, size_t, uint32_t *);
aclError aclmdlBundleLoadModel(uint32_t, size_t, uint32_t *);
aclError aclmdlBundleLoadModelWithMem(uint32_t, size_t, void *, size_t, void *, size_t, uint32_t *);
aclError aclmdlBundleLoadModelWithConfig(uint32_t, size_t, aclmdlConfigHandle *, uint32_t *);
aclError aclmdlBundleUnloadModel(uint32_t, uint32_t);
aclError aclmdlBundleUnload(uint32_t);
aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle *, const char *, void *, size_t);
aclError aclmdlExecuteV2(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream, const aclmdlExecConfigHandle *);
aclError aclmdlExecuteAsyncV2(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream, const aclmdlExecConfigHandle *);
#endif
