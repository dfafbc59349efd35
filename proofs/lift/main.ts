import { parseArgs } from 'node:util'
import { isLossFound, LOSSES } from './losses.ts'
import { createRandom } from './random.ts'
import { computeMissedShare, computePlannedShare, SETTINGS, type Tally, tallySetting } from './settings.ts'

// `npm run lift -- [--experiments 2000] [--seed 1]`: checks lift intervals against shops with a known lift
// (docs/lift.md). Exits with 1 when a setting misses its limits: the minimum sample (server/core/lift/minimum-sizes.ts)
// is then too small.

const MISSED_AT_MOST = 0.055
const RIGHT = { least: 0.92, most: 0.98 }
const FALSE_ALARMS_AT_MOST = 0.001
const FOUND_AT_LEAST = 0.99

const { values } = parseArgs({
  options: { experiments: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
})
const experiments = Number(values.experiments)
const seed = Number(values.seed)
const broken: string[] = []

console.log(`${experiments} experiments a setting, 90 days, 450 people a day, looked at every day\n`)
console.log(
  '| control | conversion | σ | effect | measure | shown | sequence missed | planned day right | daily t-test missed |',
)
console.log('| - | - | - | - | - | - | - | - | - |')
for (const [place, setting] of SETTINGS.entries()) {
  const tallies = tallySetting(setting, experiments, seed + place * experiments)
  for (const measure of ['conversion', 'revenue'] as const) {
    const tally = tallies[measure]
    const name = `${formatPercent(setting.share)} | ${formatPercent(setting.conversion)} | ${setting.sigma} | +${formatPercent(setting.effect)} | ${measure}`
    console.log(`| ${name} | ${formatRow(tally)} |`)
    if (!isWithin(tally)) broken.push(name)
  }
}

console.log('\n| control | people | lost of control | lost of treated | alarm |')
console.log('| - | - | - | - | - |')
for (const [place, loss] of LOSSES.entries()) {
  let found = 0
  for (let each = 0; each < experiments; each++) {
    if (isLossFound(loss, createRandom(seed + (place + SETTINGS.length) * experiments + each))) found += 1
  }
  const name = `${formatPercent(loss.share)} | ${loss.people} | ${formatPercent(loss.ofControl)} | ${formatPercent(loss.ofTreated)}`
  console.log(`| ${name} | ${formatPercent(found / experiments, 2)} |`)
  const isLoss = loss.ofControl + loss.ofTreated > 0
  if (isLoss ? found / experiments < FOUND_AT_LEAST : found / experiments > FALSE_ALARMS_AT_MOST) broken.push(name)
}

for (const name of broken) console.error(`\nbeyond its limits: ${name}`)
process.exitCode = broken.length > 0 ? 1 : 0

function isWithin(tally: Tally): boolean {
  const [missed, right] = [computeMissedShare(tally), computePlannedShare(tally)]
  return (
    (missed === null || missed <= MISSED_AT_MOST) && (right === null || (right >= RIGHT.least && right <= RIGHT.most))
  )
}

function formatRow(tally: Tally): string {
  const [missed, right] = [computeMissedShare(tally), computePlannedShare(tally)]
  const parts = [tally.significant / tally.experiments, missed, right, tally.naiveMissed / tally.experiments]
  return parts.map((part) => (part === null ? 'none shown' : formatPercent(part, 1))).join(' | ')
}

function formatPercent(part: number, digits = 0): string {
  return `${(100 * part).toFixed(digits)} %`
}
