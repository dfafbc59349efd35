import { Anchor, Checkbox, NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { ExperimentsReply } from '../../../shared/carts/experiments.ts'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { formatSpan } from '../../kits/flows/elapsed.ts'
import { useFlows, useSwitchFlow, useUpcoming } from '../../kits/flows/queries.ts'
import { describeContinuing, describeRecentCarts, findTakingFlow, PREVIEW_HASH } from '../../kits/flows/rules.ts'
import type { UnsavedFlow } from '../flow-editor/useFlowEdit.ts'
import { describeBefore, describeRunning } from '../lift/copy.ts'
import { useExperiments } from '../lift/queries.ts'
import { Missing } from './Missing.tsx'
import { NoCarts } from './NoCarts.tsx'

interface Props {
  flow: FlowView
  /** Unsaved edits are saved first. */
  unsaved: UnsavedFlow | null
  opened: boolean
  onClose: () => void
}

interface Choices {
  hasRead: boolean
  isHoldingOut: boolean
  /** null: the proposed choice. */
  percent: number | string | null
  includeLast24h: boolean
}

const nothingChosen = { hasRead: false, isHoldingOut: false, percent: null, includeLast24h: false }

export function SwitchOnDialog({ flow, unsaved, opened, onClose }: Props) {
  const [choices, setChoices] = useState<Choices>(nothingChosen)
  const flip = useSwitchFlow(flow.id)
  const choose = (next: Partial<Choices>) => setChoices({ ...choices, ...next })
  const { hasRead, isHoldingOut, includeLast24h } = choices
  const known = useExperiments().data
  const above = useTakingFlow(flow)
  const percent = choices.percent ?? known?.proposedPercent ?? ''
  const onSuccess = () => {
    onClose()
    setChoices(nothingChosen)
    announce('Flow switched on')
  }
  const switchOn = () =>
    flip.mutate({ isOn: true, holdoutPercent: isHoldingOut ? Number(percent) : 0, includeLast24h }, { onSuccess })
  const delays = unsaved?.delays ?? flow.steps.map(({ delayMinutes }) => delayMinutes)
  const hasConditions = unsaved ? unsaved.hasConditions : flow.conditions !== null
  return (
    <Confirm
      opened={opened}
      title={`Switch on “${flow.name}”`}
      confirmLabel={unsaved ? 'Save and switch on' : 'Switch on'}
      size="lg"
      isBusy={flip.isPending || unsaved?.isSaving === true}
      isDisabled={!hasRead || flow.missing.length > 0 || (isHoldingOut && percent === '')}
      problem={flip.error?.message}
      onConfirm={() => (unsaved ? unsaved.save({ onSaved: switchOn, onRefused: onClose }) : switchOn())}
      onClose={onClose}
    >
      <Stack gap="lg">
        {unsaved && <Text>Your unsaved changes are saved first.</Text>}
        {flow.missing.length > 0 && <Missing missing={flow.missing} />}
        {above ? (
          <NoCarts flow={flow} />
        ) : (
          <Text>
            Shoppers who abandon a cart{hasConditions && ' that matches this flow'} get up to{' '}
            {formatCounted(delays.length, 'message')}: {delays.map(formatSpan).join(', ')} after their last activity. A
            purchase stops them.
          </Text>
        )}
        <OpenCarts flow={flow} above={above} isIncluded={includeLast24h} onChoose={choose} />
        {flow.holdoutPercent > 0 ? (
          <Text>{describeRunning(flow.holdoutPercent)}</Text>
        ) : (
          <Holdout isHoldingOut={isHoldingOut} percent={percent} known={known} onChoose={choose} />
        )}
        {(flow.holdoutPercent > 0 || isHoldingOut) && (
          <Text fz="sm" c="dimmed">
            Carts that already had a message keep getting them. Their shoppers can join the control group with their
            next cart.
          </Text>
        )}
        <HaveRead flowId={flow.id} hasRead={hasRead} onChoose={choose} onClose={onClose} />
      </Stack>
    </Confirm>
  )
}

type OnChoose = (next: Partial<Choices>) => void

interface HoldoutProps {
  isHoldingOut: boolean
  percent: number | string
  known: ExperimentsReply | undefined
  onChoose: OnChoose
}

function Holdout({ isHoldingOut, percent, known, onChoose }: HoldoutProps) {
  return (
    <>
      <Radio.Group
        label="Control group"
        description={known && describeBefore(known)}
        value={isHoldingOut ? 'some' : 'none'}
        onChange={(value) => onChoose({ isHoldingOut: value === 'some' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="none" label="No control group" />
          <Radio
            value="some"
            label={`Control group of some shoppers, to measure the extra sales${known && known.proposedPercent !== null ? ` (recommended: ${known.proposedPercent}%)` : ''}`}
          />
        </Stack>
      </Radio.Group>
      {isHoldingOut && (
        <NumberInput
          label="Share of shoppers who get no messages, for 90 days"
          description="Applies to every flow, campaign and push notification of this store."
          suffix=" %"
          min={1}
          max={50}
          clampBehavior="strict"
          allowDecimal={false}
          maw={420}
          value={percent}
          onChange={(percent) => onChoose({ percent })}
        />
      )}
    </>
  )
}

interface OpenCartsProps {
  flow: FlowView
  /** A flow above handles all of its carts. */
  above: FlowView | null
  isIncluded: boolean
  onChoose: OnChoose
}

/** Whether to include carts abandoned before the switch. */
function OpenCarts({ flow, above, isIncluded, onChoose }: OpenCartsProps) {
  const count = useUpcoming(flow.id).data?.cartsOfLast24h
  const goesOn = describeContinuing(flow.counts)
  // Which of them match is decided when the flow is switched on.
  const most = flow.conditions ? 'at most ' : ''
  return (
    <div>
      <Text mb="xs">
        The flow handles carts abandoned from now on. You can add the newest of the others.{goesOn && ` ${goesOn}`}
      </Text>
      <Checkbox
        label={`Include carts of the last 24 hours${count === undefined ? '' : ` (${most && count > 0 ? most : ''}${formatCounted(count, 'cart')})`}`}
        description={describeRecentCarts(count, above)}
        checked={isIncluded}
        disabled={count === 0}
        onChange={(event) => onChoose({ includeLast24h: event.currentTarget.checked })}
      />
    </div>
  )
}

function HaveRead(props: { flowId: string; hasRead: boolean; onChoose: OnChoose; onClose: () => void }) {
  const navigate = useNavigate()
  const read = () => {
    props.onClose()
    navigate(`/flows/${props.flowId}${PREVIEW_HASH}`)
  }
  return (
    <>
      <Checkbox
        label="I have read the messages in the preview"
        checked={props.hasRead}
        onChange={(event) => props.onChoose({ hasRead: event.currentTarget.checked })}
      />
      {!props.hasRead && (
        <Anchor component="button" type="button" fz="sm" ta="start" w="fit-content" onClick={read}>
          Read the preview first
        </Anchor>
      )}
    </>
  )
}

/** The flow above that handles all of its carts; null if there is none. */
const useTakingFlow = (flow: FlowView) => findTakingFlow(useFlows().data?.flows ?? [], flow)
