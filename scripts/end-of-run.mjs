// Watches a test run until it ends. If the run is killed, this process prints its results and cleans up.

import { endRun } from './processes.mjs'
import { printRecord, readRecord } from './record.mjs'

const [folder, recordFile] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
let input = ''
process.stdin.on('data', (text) => (input += text))
process.stdin.on('end', () => {
  if (input.includes('done')) return
  const { passed, failed, skipped } = printRecord(readRecord(recordFile), 'The run was killed.')
  endRun(folder)
  console.log(`\n${passed} passed, ${failed + 1} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
})
