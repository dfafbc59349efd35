import { accessSync, constants, statfsSync } from 'node:fs'
import os from 'node:os'

/** A folder in memory, of Linux: what a run of the tests writes is kept nowhere. */
export const MEMORY = '/dev/shm'
/** What the runs of one machine write at a time takes three gigabytes at most. */
const ENOUGH_BYTES = 8 * 2 ** 30

/** Whether a run may write there without taking the machine's memory from somebody. */
export function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES && os.freemem() >= ENOUGH_BYTES
  } catch {
    return false
  }
}
