import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/**
 * Long files first: while one worker runs the screens, the other runs the journeys, which mostly wait. A file that is
 * not listed takes some seconds.
 */
const LONGEST = [
  'screens/looks.test.ts',
  'e2e/sending.test.ts',
  'e2e/coupon-loop.test.ts',
  'e2e/',
  'proofs/simulator/simulator.test.ts',
  'demo/history.test.ts',
]

/** Workers end at about the same time only if no long file starts last. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.includes(`/${name}`))
      return found < 0 ? LONGEST.length : found
    }
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const usual = await super.sort(files)
    return usual.sort((a, b) => group(a) - group(b) || place(a) - place(b))
  }
}
