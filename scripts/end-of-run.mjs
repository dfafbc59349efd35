// Stays beside a run of the tests until it ends. A run that was killed cannot clean up or say how far it came: this does it then.

import { endRun } from './processes.mjs'
import { printRecord, readRecord } from './record.mjs'

const [folder, recordFile] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
let said = ''
process.stdin.on('data', (text) => (said += text))
process.stdin.on('end', () => {
  if (said.includes('done')) return
  const { passed, failed, skipped } = printRecord(readRecord(recordFile), 'The run was killed.')
  endRun(folder)
  console.log(`\n${passed} passed, ${failed + 1} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
})
