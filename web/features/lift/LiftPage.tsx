import { Anchor, Button, Card, List, NumberInput, Radio, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ExperimentsReply, ExperimentView } from '../../../shared/carts/experiments.ts'
import { MAX_PLANNED_DAYS, MIN_PLANNED_DAYS, PLANNED_DAYS } from '../../../shared/carts/experiments.ts'
import { listShareChoices } from '../../../shared/carts/visible-effect.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCounted, formatMoney } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import {
  checkDays,
  chooseMeasure,
  describeBefore,
  describeChoice,
  describeCost,
  describeMeasure,
  describePace,
  describePast,
  formatDay,
  getBoundFormats,
  hasResult,
  healthTexts,
  type Measure,
} from './copy.ts'
import { IntervalPicture } from './IntervalPicture.tsx'
import { useChange, useExperiments, useStart, useStop } from './queries.ts'

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

/** Explains how the figures are measured, for owners (docs/lift.md). */
const HowMeasured = () => (
  <Card component="section" aria-label="How it is measured">
    <Title order={2} mb="sm">
      How it is measured
    </Title>
    <List spacing="xs">
      <List.Item>
        Some people would have bought without a message. To know how many, some people get none. Chance decides who:
        this is the control group.
      </List.Item>
      <List.Item>
        Orders of both groups are counted in the same way: for a fixed number of days after each person was drawn, by
        the email, phone or customer number that was known then. Clicks and coupons play no part.
      </List.Item>
      <List.Item>
        The difference between the groups is what messages brought in. Chance also makes groups differ, so it is shown
        as a range: 95% of such ranges hold the true value.
      </List.Item>
      <List.Item>
        Carts that have had a message before the control group began go on as before and are not counted.
      </List.Item>
      <List.Item>Not writing to the control group can cost sales. This page says how much.</List.Item>
    </List>
  </Card>
)

/** Result of one control group: both measures with their named intervals. */
function Result({ experiment, order = 2 }: { experiment: ExperimentView; order?: 2 | 3 }) {
  return (
    <>
      {experiment.health === 'off' && (
        <Notice tone="bad" title="Do not rely on this result">
          {healthTexts.off}
        </Notice>
      )}
      <MeasureCard experiment={experiment} measure="revenue" title="Revenue" order={order} />
      <MeasureCard experiment={experiment} measure="conversion" title="Purchases" order={order} />
      <Groups experiment={experiment} order={order} />
    </>
  )
}

function MeasureCard(props: { experiment: ExperimentView; measure: Measure; title: string; order: 2 | 3 }) {
  const { experiment, measure, title, order } = props
  const { planned } = experiment[measure]
  return (
    <Card component="section" aria-label={title}>
      <Title order={order} mb="xs">
        {title}
      </Title>
      {planned && (
        <MeasureResult experiment={experiment} measure={measure} by="planned" name="On the day you planned" />
      )}
      <MeasureResult
        experiment={experiment}
        measure={measure}
        by="anytime"
        {...(hasResult(experiment, measure) && { name: 'If you look whenever you like' })}
      />
      {measure === 'revenue' && experiment.people.control > 0 && (
        <Text fz="sm" c="dimmed" mt="sm">
          {describeCost(experiment)}
        </Text>
      )}
    </Card>
  )
}

interface ResultProps {
  experiment: ExperimentView
  measure: Measure
  by: 'anytime' | 'planned'
  name?: string
}

function MeasureResult({ experiment, measure, by, name }: ResultProps) {
  const interval = experiment[measure][by]
  return (
    <div>
      {name && (
        <Text fz="xs" c="dimmed" mt="sm">
          {name} (95% interval)
        </Text>
      )}
      <Text>{describeMeasure(experiment, measure, by)}</Text>
      {interval && <IntervalPicture interval={interval} format={getBoundFormats(measure, experiment.currency)} />}
    </div>
  )
}

function Groups({ experiment, order }: { experiment: ExperimentView; order: 2 | 3 }) {
  const { people, purchases, waiting } = experiment
  return (
    <Card component="section" aria-label="Both groups">
      <Title order={order} mb="sm">
        Both groups
      </Title>
      <dl className="lift-groups">
        {(['treated', 'control'] as const).map((arm) => (
          <div key={arm}>
            <dt>{arm === 'treated' ? 'With messages' : 'Control group, no messages'}</dt>
            <dd>
              <strong>{formatCounted(people[arm], 'person', 'people')}</strong>
              {formatCounted(purchases[arm], 'of them bought', 'of them bought')}
              {waiting[arm] > 0 && `. ${formatCounted(waiting[arm], 'more is', 'more are')} not counted yet`}
            </dd>
          </div>
        ))}
      </dl>
      <Stack gap={4} mt="md">
        <Small>
          A person is counted {experiment.windowDays} days after they were drawn, with the orders that bear the email,
          phone or customer number they were known by then. Orders that only a link or a coupon of ours ties to them do
          not count here, in either group.
        </Small>
        <Small>
          An order counts if it was paid and not cancelled when its person was counted, without what was refunded by
          then. What is cancelled or refunded later changes nothing, in either group.
        </Small>
        {experiment.capAmount !== null && (
          <Small>
            One person counts for {formatMoney(experiment.capAmount, experiment.currency)} at most, so that one large
            order decides nothing.
          </Small>
        )}
        <Small>{healthTexts[experiment.health]}</Small>
        {experiment.overridden > 0 && (
          <Small>
            {formatCounted(experiment.overridden, 'person', 'people')} of the control group got a message by hand.
          </Small>
        )}
        {experiment.leftOut > 0 && (
          <Small>
            {formatCounted(experiment.leftOut, 'person is', 'people are')} left out: members of your team, people whose
            days the end cut off, or days on which your store’s orders could not be read.
          </Small>
        )}
        {experiment.drawnEarlier > 0 && (
          <Small>
            {formatCounted(experiment.drawnEarlier, 'person keeps', 'people keep')} the group they were in before and{' '}
            {experiment.drawnEarlier === 1 ? 'is' : 'are'} not compared.
          </Small>
        )}
        <Small>
          In the same time {formatMoney(experiment.attributedAmount, experiment.currency)} of orders are{' '}
          <Anchor component={Link} to="/analytics" inherit underline="always">
            attributed
          </Anchor>{' '}
          to messages. That is another measure: it also has orders that would have come anyway.
        </Small>
      </Stack>
    </Card>
  )
}

const Small = ({ children }: { children: React.ReactNode }) => (
  <Text fz="xs" c="dimmed">
    {children}
  </Text>
)

interface Props {
  known: ExperimentsReply
  opened: boolean
  onClose: () => void
}

/** Starts a control group, or one with another share. */
function ShareDialog({ known, opened, onClose }: Props) {
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
  const previewDays = problem ? PLANNED_DAYS : Number(days)
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
            {listShareChoices(known.pace, previewDays).map((choice) => (
              <Radio
                key={choice.sharePercent}
                value={String(choice.sharePercent)}
                label={`${choice.sharePercent}% of people${choice.sharePercent === known.proposedPercent ? ' (proposed for your store)' : ''}`}
                // Show no estimate for invalid durations.
                description={problem ? null : describeChoice(choice, previewDays)}
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
