import { NumberInput, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { MAX_CREDIT_CENTS, MAX_REASON_LENGTH } from '../../shared/operator.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useAdjustCredits } from './queries.ts'

interface Props {
  accountId: string
  /** The account's current credits, formatted. */
  balance: string
  opened: boolean
  onClose: () => void
}

/** Mounted only while open, so it starts empty. */
export function CreditsDialog({ accountId, balance, opened, onClose }: Props) {
  const [dollars, setDollars] = useState<number | string>('')
  const [reason, setReason] = useState('')
  const adjust = useAdjustCredits(accountId)
  const onSuccess = () => {
    announce('The credits are changed')
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title="Change credits"
      confirmLabel="Change credits"
      isBusy={adjust.isPending}
      problem={adjust.error?.message}
      onConfirm={() => adjust.mutate({ cents: Math.round(Number(dollars) * 100), reason }, { onSuccess })}
      onClose={onClose}
    >
      <Stack gap="md">
        <NumberInput
          data-autofocus
          label="Dollars"
          description={`The account has ${balance}. Given to it; with a minus, taken away.`}
          prefix="$"
          decimalScale={2}
          fixedDecimalScale
          min={-MAX_CREDIT_CENTS / 100}
          max={MAX_CREDIT_CENTS / 100}
          value={dollars}
          onChange={setDollars}
        />
        <Textarea
          label="Reason"
          description="The account reads this in its movements."
          required
          autosize
          minRows={2}
          maxLength={MAX_REASON_LENGTH}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}
