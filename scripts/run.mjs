// A run of tests: its folder, its record, what it cost, and its end.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from './prepare.mjs'
import { endRun, startMeter } from './processes.mjs'
import { printRecord, readRecord } from './record.mjs'

const LAST = path.join(root, 'node_modules', '.cache', 'recoup', 'tests.jsonl')
const MEMORY = '/dev/shm'
/** The runs of one machine write at most three gigabytes at a time. */
const ENOUGH_BYTES = 8 * 2 ** 30

/** What the last whole run wrote of each test. */
export const lastRecord = () => readRecord(LAST)

/** Sets `TEST_RUN_FOLDER`, `TEST_RECORD` and `TMPDIR` for all that is started from here on: what they leave in it goes with the run. */
export function openRun() {
  const folder = fs.mkdtempSync(path.join(hasRoomInMemory() ? MEMORY : os.tmpdir(), 'recoup-test-'))
  // As root, PostgreSQL runs as another user, who must be able to enter the folder.
  fs.chmodSync(folder, 0o711)
  const record = path.join(folder, 'record.jsonl')
  const witness = spawn(process.execPath, [path.join(root, 'scripts', 'end-of-run.mjs'), folder, record], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  witness.unref()
  Object.assign(process.env, { TEST_RUN_FOLDER: folder, TEST_RECORD: record, TMPDIR: folder })
  const meter = startMeter(folder)
  return {
    record,
    close() {
      const cpuSeconds = meter.stop()
      const counts = printRecord(readRecord(record), 'The tests were ended before they were through.')
      keep(record)
      const leftRunning = endRun(folder)
      witness.stdin.end('done')
      return { ...counts, cpuSeconds, leftRunning }
    },
  }
}

function keep(record) {
  if (!readRecord(record).isWhole) return
  fs.mkdirSync(path.dirname(LAST), { recursive: true })
  fs.copyFileSync(record, LAST)
}

function hasRoomInMemory() {
  try {
    fs.accessSync(MEMORY, fs.constants.W_OK)
    const { bavail, bsize } = fs.statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES && os.freemem() >= ENOUGH_BYTES
  } catch {
    return false
  }
}
