// What other rooms use.

export { createCodes, enqueueDueCodes, type FindUnneeded } from './codes.ts'
export { codesJob, tidyCodesJob } from './codes-jobs.ts'
export { deleteUnneededCodes, enqueueCodeCleanups } from './codes-tidy.ts'
