import { NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type ExperimentsReply, MAX_PLANNED_DAYS, MIN_PLANNED_DAYS, PLANNED_DAYS } from '../../shared/experiments.ts'
import { choicesOf } from '../../shared/visible-effect.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Notice } from '../ui/Notice.tsx'
import { checkDays, describeBefore, describeChoice, describePace } from './copy.ts'
import { useChange, useStart } from './queries.ts'

interface Props {
  known: ExperimentsReply
  opened: boolean
  onClose: () => void
}

/** Starts a control group, or one with another share. */
export function ShareDialog({ known, opened, onClose }: Props) {
  const isChange = known.running !== null
  const [share, setShare] = useState(known.proposedPercent === null ? '' : String(known.proposedPercent))
  const [days, setDays] = useState<number | string>(PLANNED_DAYS)
  const [start, change] = [useStart(), useChange()]
  const act = isChange ? change : start
  const onSuccess = () => {
    onClose()
    announce(isChange ? 'A new control group has begun' : 'The control group has begun')
  }
  const problem = checkDays(days)
  const shownDays = problem ? PLANNED_DAYS : Number(days)
  const isSame = isChange && Number(share) === known.running?.sharePercent
  return (
    <Confirm
      opened={opened}
      title={isChange ? 'Change the share' : 'Start a control group'}
      confirmLabel={isChange ? 'Start anew' : 'Start'}
      size="lg"
      isBusy={act.isPending}
      isDisabled={problem !== null || share === '' || isSame}
      problem={act.error?.message}
      onConfirm={() => act.mutate({ sharePercent: Number(share), days: Number(days) }, { onSuccess })}
      onClose={onClose}
    >
      <Stack gap="lg">
        {isChange && (
          <Notice tone="warn">
            Another share is another comparison: the one that runs ends now and keeps its result, and people are drawn
            anew.
          </Notice>
        )}
        {known.proposedPercent === null && <Notice tone="warn">{describeBefore(known)}</Notice>}
        <Radio.Group
          label="Who gets no automatic messages"
          description={describePace(known)}
          value={share}
          onChange={setShare}
        >
          <Stack gap="sm" mt="sm">
            {choicesOf(known.pace, shownDays).map((choice) => (
              <Radio
                key={choice.sharePercent}
                value={String(choice.sharePercent)}
                label={`${choice.sharePercent}% of people${choice.sharePercent === known.proposedPercent ? ' (proposed for your store)' : ''}`}
                // Show no estimate for invalid durations.
                description={problem ? null : describeChoice(choice, shownDays)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <NumberInput
          label="Ends after"
          suffix=" days"
          description={`${MIN_PLANNED_DAYS} to ${MAX_PLANNED_DAYS} days, then everybody gets messages again. On that day a more exact result is shown as well; if you stop earlier, it is not.`}
          error={problem}
          min={MIN_PLANNED_DAYS}
          max={MAX_PLANNED_DAYS}
          clampBehavior="none"
          allowDecimal={false}
          maw={320}
          value={days}
          onChange={setDays}
        />
        <Text fz="sm" c="dimmed">
          The control group is drawn by chance. Flows, campaigns and notifications all leave it alone; you can still
          write to one of its people by hand. Carts that have had a message already go on as before and are not counted.
        </Text>
      </Stack>
    </Confirm>
  )
}
