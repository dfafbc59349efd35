// A test run: its folder, record, cost and clean-up.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from './prepare.mjs'
import { endRun, startMeter } from './processes.mjs'
import { printRecord, readRecord } from './record.mjs'

const TIMES = path.join(root, 'node_modules', '.cache', 'recoup', 'times.json')
const MEMORY_FOLDER = '/dev/shm'
/** Parallel runs on one machine write at most three gigabytes. */
const MIN_FREE_BYTES = 8 * 2 ** 30

/** Milliseconds of each test file in its last run at normal size. */
export const readLastTimes = () => (fs.existsSync(TIMES) ? JSON.parse(fs.readFileSync(TIMES, 'utf8')) : {})

/**
 * Sets `TEST_RUN_FOLDER`, `TEST_RECORD` and `TMPDIR` for all processes started later. The folder is deleted at the end
 * of the run. `isFullSize`: a proof, whose tests take longer than usual.
 */
export function openRun({ isFullSize = false } = {}) {
  const folder = fs.mkdtempSync(path.join(hasRoomInMemory() ? MEMORY_FOLDER : os.tmpdir(), 'recoup-test-'))
  // As root, PostgreSQL runs as another user, who needs access to the folder.
  fs.chmodSync(folder, 0o711)
  const record = path.join(folder, 'record.jsonl')
  const watcher = spawn(process.execPath, [path.join(root, 'scripts', 'end-of-run.mjs'), folder, record], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  watcher.unref()
  Object.assign(process.env, { TEST_RUN_FOLDER: folder, TEST_RECORD: record, TMPDIR: folder })
  const meter = startMeter(folder)
  return {
    record,
    close() {
      const cpuSeconds = meter.stop()
      const written = readRecord(record)
      // Not every proof consists of tests.
      const why = fs.existsSync(record) ? 'The tests ended early.' : null
      const counts = printRecord(written, why)
      if (!isFullSize) saveTimes(written)
      const leftRunning = endRun(folder)
      watcher.stdin.end('done')
      return { ...counts, cpuSeconds, leftRunning }
    },
  }
}

function saveTimes({ times }) {
  if (times.length === 0) return
  fs.mkdirSync(path.dirname(TIMES), { recursive: true })
  const all = { ...readLastTimes(), ...Object.fromEntries(times.map(({ file, ms }) => [file, ms])) }
  fs.writeFileSync(TIMES, `${JSON.stringify(all, null, 1)}\n`)
}

function hasRoomInMemory() {
  try {
    fs.accessSync(MEMORY_FOLDER, fs.constants.W_OK)
    const { bavail, bsize } = fs.statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES && os.freemem() >= MIN_FREE_BYTES
  } catch {
    return false
  }
}
