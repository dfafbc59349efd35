import { Text } from '@mantine/core'
import { useConditionNames } from './condition-queries.ts'
import { describeUnmet, findUnmet } from './unmet.ts'

interface Props {
  /** As decisions record them. */
  inputs: Record<string, unknown>
  /** Whether the conditions are the flow's or the message's. */
  of?: 'flow' | 'step'
}

/** Failed conditions, with the cart's actual values. */
export function Unmet({ inputs, of }: Props) {
  const unmet = findUnmet(inputs)
  const names = useConditionNames(
    [unmet && { match: 'all', groups: [{ match: 'all', conditions: unmet.conditions }] }],
    unmet?.currency ?? 'USD',
  )
  return describeUnmet(inputs, names, of).map((line) => (
    <Text key={line} fz="sm">
      {line}
    </Text>
  ))
}
