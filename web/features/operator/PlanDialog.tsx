import { Checkbox, NativeSelect, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { MAX_REASON_LENGTH } from '../../../shared/workspace/operator.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useSetPlan } from './queries.ts'

const keys = Object.keys(plans) as PlanKey[]

interface Props {
  accountId: string
  plan: PlanKey | null
  isUnlimited: boolean
  opened: boolean
  onClose: () => void
}

/** Mounted only while open, so it starts with the current plan. */
export function PlanDialog({ accountId, opened, onClose, ...now }: Props) {
  const [plan, setPlan] = useState<PlanKey>(now.plan ?? 'growth')
  const [isUnlimited, setUnlimited] = useState(now.isUnlimited)
  const [note, setNote] = useState('')
  const set = useSetPlan(accountId)
  const onSuccess = () => {
    announce('Plan set')
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title="Set the plan"
      confirmLabel="Set plan"
      isBusy={set.isPending}
      problem={set.error?.message}
      onConfirm={() => set.mutate({ planKey: plan, isUnlimited, note }, { onSuccess })}
      onClose={onClose}
    >
      <Stack gap="md">
        <NativeSelect
          data-autofocus
          label="Plan"
          description="Takes effect immediately. Nothing is charged."
          data={keys.map((value) => ({ value, label: plans[value].name }))}
          value={plan}
          onChange={(event) => setPlan(event.currentTarget.value as PlanKey)}
        />
        <Checkbox
          label="No limits"
          checked={isUnlimited}
          onChange={(event) => setUnlimited(event.currentTarget.checked)}
        />
        <Textarea
          label="Note"
          description="Visible to operators only"
          autosize
          minRows={2}
          maxLength={MAX_REASON_LENGTH}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}
