import { DEFAULT_BRAND } from '../shared/messages/brand.ts'
import { compile } from '../shared/messages/mail-compile.ts'
import { themeNames } from '../shared/messages/mail-document.ts'
import { fill } from '../shared/messages/mail-fill.ts'
import { buildItems, buildSampleDocument, buildSampleValues, SAMPLE_COUPON } from '../test/mail-documents.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'

// Method: CPU time of this process for compiling a document with every kind of block, and for filling it for one
// shopper with three items and a coupon, and with sixty. Warmed; mean of all themes.

export const bench: Bench = { name: 'mail', run }

async function run(lab: Lab): Promise<Figure[]> {
  const kit = { ...DEFAULT_BRAND, logo: null, promise: 'Free returns' }
  const documents = themeNames.map((theme) => buildSampleDocument(theme))
  const mails = documents.map((document) => compile(document, kit, document.theme, 'en-US'))
  const values = buildSampleValues({ coupon: SAMPLE_COUPON })
  const many = buildSampleValues({ coupon: SAMPLE_COUPON, items: buildItems(60) })
  const rounds = lab.sized(2_000)
  const compiled = measureCpu(rounds, (at) =>
    compile(documents[at % documents.length]!, kit, themeNames[at % 4]!, 'de-DE'),
  )
  const filled = measureCpu(rounds, (at) => fill(mails[at % mails.length]!, values))
  const large = measureCpu(rounds, (at) => fill(mails[at % mails.length]!, many))
  return [
    { name: 'compile a document', value: compiled, unit: 'ms of CPU', goal: { below: 0.2 } },
    { name: 'fill a mail', value: filled, unit: 'ms of CPU', goal: { below: 0.15 } },
    { name: 'fill a mail of 60 items', value: large, unit: 'ms of CPU' },
  ]
}

function measureCpu(rounds: number, work: (at: number) => unknown): number {
  for (let at = 0; at < rounds / 4; at++) work(at)
  const before = process.cpuUsage()
  for (let at = 0; at < rounds; at++) work(at)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / rounds
}
