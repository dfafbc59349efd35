import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Act, Answer } from './steps.ts'

// Input for drawing acts.

/** A random stream, and the scenario that it draws for. */
export interface ActContext extends Random {
  people: readonly Person[]
  hasTexts: boolean
}

export type ActMaker = (chance: ActContext) => Act
/** By name of the act: weight, and how to draw one. */
export type ActMakers = Record<string, [weight: number, make: ActMaker]>

export const drawAnswer = (chance: ActContext): Answer =>
  chance.weighted({
    accepts: 8,
    refuses: 1,
    bounces: 1,
    'opted out': chance.hasTexts ? 0.7 : 0,
    retry: 6,
    'silent, took it': 2,
    'silent, lost it': 2,
    'takes it, sender dies': 1.5,
    'sender dies first': 1,
  })
