import os from 'node:os'
import { parseArgs } from 'node:util'

// `npm run simulate`: --scenarios N [--from SEED] · --seed N · --mutations [--only 'part of a name, or a rule']

const [first] = process.argv.slice(2)
if (first === 'worker') {
  const { mutate } = await import('./mutate.ts')
  if (process.env.SIMULATOR_MUTATION) mutate(process.env.SIMULATOR_MUTATION)
  const { runWorker } = await import('./worker.ts')
  runWorker(process.env.SIMULATOR_DATABASE!)
} else {
  const { values } = parseArgs({
    options: {
      scenarios: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      workers: { type: 'string', default: String(Math.min(2, os.availableParallelism())) },
    },
  })
  const commands = await import('./commands.ts')
  const workers = Number(values.workers)
  if (values.mutations) process.exitCode = await commands.simulateMutations(workers, values.only)
  else if (values.seed !== undefined) process.exitCode = await commands.simulateSeed(Number(values.seed))
  else process.exitCode = await commands.simulateMany(Number(values.scenarios ?? 1_000), Number(values.from), workers)
}
