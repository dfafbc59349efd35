// A run of tests: its folder, its record, what it cost, and its end.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from './prepare.mjs'
import { endRun, startMeter } from './processes.mjs'
import { printRecord, readRecord } from './record.mjs'

const TIMES = path.join(root, 'node_modules', '.cache', 'recoup', 'times.json')
const MEMORY = '/dev/shm'
/** The runs of one machine write at most three gigabytes at a time. */
const ENOUGH_BYTES = 8 * 2 ** 30

/** How many milliseconds each test file took the last time it ran here at its usual size. */
export const lastTimes = () => (fs.existsSync(TIMES) ? JSON.parse(fs.readFileSync(TIMES, 'utf8')) : {})

/**
 * Sets `TEST_RUN_FOLDER`, `TEST_RECORD` and `TMPDIR` for all that is started from here on: what they leave in it goes with the run. `isFullSize`:
 * a proof, whose tests take longer than usual.
 */
export function openRun({ isFullSize = false } = {}) {
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
      const written = readRecord(record)
      // Not every proof is made of tests.
      const why = fs.existsSync(record) ? 'The tests were ended before they were through.' : null
      const counts = printRecord(written, why)
      if (!isFullSize) keepTimes(written)
      const leftRunning = endRun(folder)
      witness.stdin.end('done')
      return { ...counts, cpuSeconds, leftRunning }
    },
  }
}

function keepTimes({ times }) {
  if (times.length === 0) return
  fs.mkdirSync(path.dirname(TIMES), { recursive: true })
  const all = { ...lastTimes(), ...Object.fromEntries(times.map(({ file, ms }) => [file, ms])) }
  fs.writeFileSync(TIMES, `${JSON.stringify(all, null, 1)}\n`)
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
