import { Text } from '@mantine/core'
import { unmetLines, unmetOf } from '../carts/unmet.ts'
import { useConditionNames } from './queries.ts'

interface Props {
  /** As a decision records them. */
  inputs: Record<string, unknown>
  /** Whose conditions they are. */
  of?: 'flow' | 'step'
}

/** Which conditions did not hold, and what the cart had instead. */
export function Unmet({ inputs, of }: Props) {
  const unmet = unmetOf(inputs)
  const names = useConditionNames(
    [unmet && { match: 'all', groups: [{ match: 'all', conditions: unmet.conditions }] }],
    unmet?.currency ?? 'USD',
  )
  return unmetLines(inputs, names, of).map((line) => (
    <Text key={line} fz="sm">
      {line}
    </Text>
  ))
}
