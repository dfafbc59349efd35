import { Anchor, Checkbox, NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { FlowView } from '../../shared/flows.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { counted, formatMinutes } from '../ui/format.ts'
import { Missing } from './FlowPage.tsx'
import { useSwitchFlow, useUpcoming } from './queries.ts'

const PROPOSED_HOLDOUT = 10

interface Props {
  flow: FlowView
  opened: boolean
  onClose: () => void
}

export function SwitchOnDialog({ flow, opened, onClose }: Props) {
  const [hasRead, setRead] = useState(false)
  const [holdout, setHoldout] = useState<'none' | 'some'>('none')
  const [percent, setPercent] = useState<number | string>(PROPOSED_HOLDOUT)
  const [includeLast24h, setInclude] = useState(false)
  const flip = useSwitchFlow(flow.id)
  const holdoutPercent = holdout === 'none' ? 0 : Number(percent)
  const switchOn = () =>
    flip.mutate(
      { isOn: true, holdoutPercent, includeLast24h },
      {
        onSuccess: () => {
          onClose()
          setRead(false)
          announce('The flow is on')
        },
      },
    )
  return (
    <Confirm
      opened={opened}
      title={`Switch on “${flow.name}”`}
      confirmLabel="Switch on"
      size="lg"
      isBusy={flip.isPending}
      isDisabled={!hasRead || flow.missing.length > 0 || percent === ''}
      problem={flip.error?.message}
      onConfirm={switchOn}
      onClose={onClose}
    >
      <Stack gap="lg">
        {flow.missing.length > 0 && <Missing missing={flow.missing} />}
        <Text>
          From now on shoppers who leave a cart get up to {counted(flow.steps.length, 'email')}:{' '}
          {flow.steps.map(({ delayMinutes }) => formatMinutes(delayMinutes)).join(', ')} after their last activity. A
          purchase ends it.
        </Text>
        <Radio.Group label="Control group" value={holdout} onChange={(value) => setHoldout(value as 'none' | 'some')}>
          <Stack gap="xs" mt="xs">
            <Radio value="none" label="0 %: write to everyone" />
            <Radio
              value="some"
              label={`Leave some out, to measure what the flow really brings (we propose ${PROPOSED_HOLDOUT} %)`}
            />
          </Stack>
        </Radio.Group>
        {holdout === 'some' && (
          <NumberInput
            label="Share of shoppers who are not written to"
            suffix=" %"
            min={1}
            max={50}
            clampBehavior="strict"
            allowDecimal={false}
            w={280}
            maw="100%"
            value={percent}
            onChange={setPercent}
          />
        )}
        <IncludeRecent flowId={flow.id} isIncluded={includeLast24h} onChange={setInclude} />
        <Checkbox
          label="I have read the messages in the preview"
          checked={hasRead}
          onChange={(event) => setRead(event.currentTarget.checked)}
        />
        {!hasRead && (
          <Anchor component="button" type="button" fz="sm" ta="start" w="fit-content" onClick={onClose}>
            Read the preview first
          </Anchor>
        )}
      </Stack>
    </Confirm>
  )
}

interface RecentProps {
  flowId: string
  isIncluded: boolean
  onChange: (isIncluded: boolean) => void
}

function IncludeRecent({ flowId, isIncluded, onChange }: RecentProps) {
  const count = useUpcoming(flowId).data?.cartsOfLast24h
  return (
    <Checkbox
      label={`Include carts of the last 24 hours${count === undefined ? '' : ` (${counted(count, 'cart')})`}`}
      description="Otherwise only carts left from now on are written to"
      checked={isIncluded}
      disabled={count === 0}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
