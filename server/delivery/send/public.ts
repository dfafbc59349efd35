// What other rooms use: claims and sends due messages.

export { closeAbandonedSends } from './abandoned.ts'
export { findUnneededCodes } from './needless-codes.ts'
export { loadTextChannels, openTransport, sendDue } from './send-due.ts'
export { beat, endBeat, readLastBeat } from './workers.ts'
