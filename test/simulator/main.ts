import os from 'node:os'
import { parseArgs } from 'node:util'

// `npm run simulate`: --histories N [--from SEED] · --seed N · --mutations [--only 'part of a name, or a rule']

const [first] = process.argv.slice(2)
if (first === 'lane') {
  const { mutate } = await import('./mutate.ts')
  if (process.env.SIMULATOR_MUTATION) mutate(process.env.SIMULATOR_MUTATION)
  const { runLane } = await import('./lane.ts')
  runLane(process.env.SIMULATOR_DATABASE!)
} else {
  const { values } = parseArgs({
    options: {
      histories: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      lanes: { type: 'string', default: String(Math.min(2, os.availableParallelism())) },
    },
  })
  const commands = await import('./commands.ts')
  const lanes = Number(values.lanes)
  if (values.mutations) process.exitCode = await commands.simulateMutations(lanes, values.only)
  else if (values.seed !== undefined) process.exitCode = await commands.simulateSeed(Number(values.seed))
  else process.exitCode = await commands.simulateMany(Number(values.histories ?? 1_000), Number(values.from), lanes)
}
