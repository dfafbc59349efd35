// How well people and machines are distinguished, over the labelled visits in test/fixtures/visits: `node scripts/machine-opens.ts`.
// Prints the tables of docs/machine-opens.md; with --wrong also each visit that was taken for something else.
import { computeMeasure, evaluateCorpus, GROUPS } from '../test/engagement-corpus.ts'

const visits = evaluateCorpus()
const percent = (share: number) => `${(share * 100).toFixed(1)} %`

for (const [name, isIn] of Object.entries(GROUPS)) {
  const group = visits.filter(isIn)
  const { table, precision, recall } = computeMeasure(group)
  console.log(`\n${name}: ${group.length} visits, precision ${percent(precision)}, recall ${percent(recall)}\n`)
  console.log('| it was | taken for a person | for a machine | unknown |\n| - | -: | -: | -: |')
  for (const actual of ['human', 'machine'] as const) {
    const { human, machine, unknown } = table[actual]
    console.log(`| ${actual === 'human' ? 'a person' : 'a machine'} | ${human} | ${machine} | ${unknown} |`)
  }
}

if (process.argv.includes('--wrong')) {
  console.log('')
  for (const { file, scenario, kind, is: actual, classified: outcome, reason } of visits)
    if (actual !== outcome) console.log(`${file}: ${scenario}: ${kind} of a ${actual} taken for ${outcome} (${reason})`)
}
