import { Text } from '@mantine/core'
import { type PlanKey, plans } from '../../shared/billing.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { limitLines } from './rules.ts'

interface Props {
  opened: boolean
  current: PlanKey
  /** When it happens, in words; null: at once, as nothing is paid for a period. */
  end: string | null
  isBusy: boolean
  problem: string | undefined
  onConfirm: () => void
  onClose: () => void
}

/** Going back to the free plan is asked about, with when it happens and what it means (decision 122). */
export function LeavePaidPlan({ current, end, ...dialog }: Props) {
  const { name, limits } = plans.free
  const its = `Your ${plans[current].name} plan`
  const when = end
    ? `${its} stays until its period ends${end}. Then your account is on ${name}, which includes:`
    : `${its} ends now, not at the end of a billing period. ${name} includes:`
  return (
    <Confirm {...dialog} title={`Change to ${name}?`} confirmLabel={`Change to ${name}`} isDangerous>
      <Text>{when}</Text>
      <ul>
        {limitLines(limits).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Text>
        Messages that {name} does not include are then held, and dropped once they expire. Your stores stay connected,
        and their data is kept.
      </Text>
    </Confirm>
  )
}
