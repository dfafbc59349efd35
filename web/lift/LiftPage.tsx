import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { ExperimentsReply, ExperimentView } from '../../shared/experiments.ts'
import { useHasPermission } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { chooseMeasure, describeBefore, describePace, describePast, formatDay } from './copy.ts'
import { HowMeasured } from './HowMeasured.tsx'
import { useExperiments, useStop } from './queries.ts'
import { Result } from './Result.tsx'
import { ShareDialog } from './ShareDialog.tsx'

/** The store's control group: what it could detect, its result, and earlier groups (decisions 58 to 61). */
export function LiftPage() {
  const experiments = useExperiments()
  return (
    <>
      <PageTitle
        title="Lift"
        text="What your messages bring in beyond what would have come anyway, measured against people who get none."
      />
      <Loaded
        query={experiments}
        loading={<LoadingCards count={2} rows={3} />}
        failed="The control group could not be loaded"
      >
        {(known) => (
          <Stack gap="md">
            {known.running ? <RunningGroup known={known} running={known.running} /> : <BeforeStart known={known} />}
            {known.running ? <Result experiment={known.running} /> : <Last past={known.past} />}
            <PastGroups past={known.past} />
            <HowMeasured />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function BeforeStart({ known }: { known: ExperimentsReply }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card component="section" aria-label="No control group">
      <Title order={2} mb="xs">
        No control group
      </Title>
      <Text>
        Everybody gets messages, so nobody can tell who would have bought anyway. A control group measures it, as far as
        your store is large enough.
      </Text>
      <Text mt="sm">{describeBefore(known)}</Text>
      <Text fz="sm" c="dimmed" mt={4}>
        {describePace(known)}
      </Text>
      <Lead>
        <Button mt="md" style={{ alignSelf: 'flex-start' }} onClick={() => setOpen(true)}>
          Start a control group
        </Button>
      </Lead>
      <ShareDialog known={known} opened={isOpen} onClose={() => setOpen(false)} />
    </Card>
  )
}

function RunningGroup({ known, running }: { known: ExperimentsReply; running: ExperimentView }) {
  const [open, setOpen] = useState<'change' | 'stop' | null>(null)
  const close = () => setOpen(null)
  const day = (instant: string) => formatDay(instant, running.timeZone)
  return (
    <Card component="section" aria-label="The control group runs">
      <Title order={2} mb="xs">
        {running.sharePercent}% get no messages
      </Title>
      <Text>
        Since {day(running.startedAt)}, until {day(running.plannedEndAt)}. People are drawn until{' '}
        {day(running.drawsUntil)}, so that everybody’s {running.windowDays} days are over by then.
      </Text>
      <Lead>
        <Button.Group mt="md">
          <Button variant="default" onClick={() => setOpen('change')}>
            Change the share
          </Button>
          <Button variant="default" onClick={() => setOpen('stop')}>
            Stop
          </Button>
        </Button.Group>
      </Lead>
      <ShareDialog key={running.id} known={known} opened={open === 'change'} onClose={close} />
      <StopDialog opened={open === 'stop'} onClose={close} />
    </Card>
  )
}

function Lead({ children }: { children: React.ReactNode }) {
  if (useHasPermission('flows:switch')) return children
  return (
    <Text fz="sm" c="dimmed" mt="md">
      Only the owner or an admin of the account can start or stop a control group.
    </Text>
  )
}

function StopDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const stop = useStop()
  const onSuccess = () => {
    onClose()
    announce('The control group has ended')
  }
  return (
    <Confirm
      opened={opened}
      title="Stop the control group?"
      confirmLabel="Stop"
      isDangerous
      isBusy={stop.isPending}
      problem={stop.error?.message}
      onConfirm={() => stop.mutate(undefined, { onSuccess })}
      onClose={onClose}
    >
      Everybody gets messages from now on. What is known stays. People whose days are not over are left out. The more
      exact result of the planned day will not be shown.
    </Confirm>
  )
}

/** The full result, if there is one. */
function Last({ past: [newest] }: { past: ExperimentView[] }) {
  if (!newest || chooseMeasure(newest) === null) return null
  return (
    <>
      <Title order={2} mt="sm">
        What the last control group showed
      </Title>
      <Result experiment={newest} order={3} />
    </>
  )
}

const ENDS = { planned: 'ended as planned', stopped: 'was stopped', changed: 'ended for another share' }

function PastGroups({ past }: { past: ExperimentView[] }) {
  if (past.length === 0) return null
  const [newest, ...older] = past
  return (
    <Card component="section" aria-label="Control groups before">
      <Title order={2} mb="sm">
        Control groups before
      </Title>
      <ul className="lift-past">
        {[newest!, ...older].map((each) => (
          <li key={each.id}>
            <strong>
              {each.sharePercent}%, {formatDay(each.startedAt, each.timeZone)} to{' '}
              {formatDay(each.endedAt!, each.timeZone)}
            </strong>
            , {ENDS[each.endReason!]}
            <Text fz="sm" mt={2}>
              {describePast(each)}
            </Text>
          </li>
        ))}
      </ul>
    </Card>
  )
}
