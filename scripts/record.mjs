// Summarizes the record that a test run writes (`test/reporter.ts`).

import fs from 'node:fs'

/** `isWhole`: the run has ended. `running`: files that have started but not ended. */
export function readRecord(file) {
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parse) : []
  const filterKind = (kind) => lines.filter((line) => line?.kind === kind)
  const tests = filterKind('test')
  const ended = new Set(filterKind('file').map(buildFileKey))
  const end = filterKind('end')[0]
  return {
    files: filterKind('files').reduce((sum, { count }) => sum + count, 0),
    tests,
    times: filterKind('file'),
    passed: tests.filter(({ state }) => state === 'passed').length,
    skipped: tests.filter(({ state }) => state === 'skipped').length,
    failures: [
      ...tests.filter(({ state }) => state === 'failed').map((test) => ({ ...test, error: test.errors?.[0] ?? '' })),
      ...filterKind('file').flatMap(({ file, errors }) =>
        errors.map((error) => ({ file, name: 'outside of its tests', error })),
      ),
      ...(end?.errors ?? []).map((error) => ({ file: 'the run', name: 'an error outside of tests', error })),
    ],
    running: filterKind('start')
      .filter((each) => !ended.has(buildFileKey(each)))
      .map(({ file }) => file),
    isWhole: end !== undefined,
  }
}

/** Prints all failures; returns the counts. `why`: the reason if the run did not end normally. */
export function printRecord(record, why) {
  const { passed, skipped, failures, running, isWhole } = record
  const others = []
  if (!isWhole && why) others.push(why)
  if (!isWhole && running.length > 0) others.push(`Not finished: ${running.join(', ')}`)
  for (const { file, name, error } of failures) console.error(`\nFailed: ${file} > ${name}\n${clip(error)}`)
  for (const each of others) console.error(`\n${each}`)
  return { passed, failed: failures.length, skipped }
}

const LONGEST = 2_000
const clip = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text)

const buildFileKey = ({ project, file }) => `${project} ${file}`

/** The last line of a killed run may be incomplete. */
function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
