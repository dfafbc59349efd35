import { Anchor, Button, Card, List, NumberInput, Radio, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { ExperimentsReply, ExperimentView } from '../../../shared/carts/experiments.ts'
import { MAX_PLANNED_DAYS, MIN_PLANNED_DAYS, PLANNED_DAYS } from '../../../shared/carts/experiments.ts'
import { listShareChoices } from '../../../shared/carts/visible-effect.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
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
  findProposal,
  formatDay,
  getBoundFormats,
  hasResult,
  healthTexts,
  type Measure,
  rangeTexts,
} from './copy.ts'
import { GroupBars } from './GroupBars.tsx'
import { IntervalPicture } from './IntervalPicture.tsx'
import { useChange, useExperiments, useStart, useStop } from './queries.ts'

/** The store's control group: what it could detect, its result, and earlier groups (decisions 58 to 61). */
export function LiftPage() {
  const experiments = useExperiments()
  return (
    <>
      <PageTitle title="Lift" text="Extra sales your messages cause, measured against a control group." />
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
      <Text maw={720}>{describeBefore(known)}</Text>
      <Expected known={known} />
      <Text fz="sm" c="dimmed" mt="sm">
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

/** Draws the smallest increase that the proposed share could prove. */
function Expected({ known }: { known: ExperimentsReply }) {
  const choice = findProposal(known)
  if (!choice) return null
  const { rate } = known.pace
  const needed = Math.min(1, rate * (1 + choice.smallestPercent / 100))
  const rows = [
    { label: 'Control group', arm: 'control', width: (rate / needed) * 100, text: 'buy', share: rate },
    { label: 'With messages', arm: 'needed', width: 100, text: 'or more would be proof', share: needed },
  ]
  return (
    <dl className="lift-bars lift-expected">
      {rows.map(({ label, arm, width, text, share }) => (
        <div key={arm}>
          <dt>{label}</dt>
          <dd>
            <span className="lift-bar" aria-hidden>
              <span data-arm={arm} style={{ width: `${width}%` }} />
            </span>
            <span className="lift-bar-text tabular">
              <strong>{Math.round(share * 1_000) / 10}%</strong> {text}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function RunningGroup({ known, running }: { known: ExperimentsReply; running: ExperimentView }) {
  const [open, setOpen] = useState<'change' | 'stop' | null>(null)
  const close = () => setOpen(null)
  const day = (instant: string) => formatDay(instant, running.timeZone)
  return (
    <Card component="section" aria-label="Running control group">
      <Title order={2} mb="xs">
        Control group: {running.sharePercent}% of shoppers
      </Title>
      <Text>
        {day(running.startedAt)} to {day(running.plannedEndAt)}. New shoppers join until {day(running.drawsUntil)}.
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

function Lead({ children }: { children: ReactNode }) {
  if (useHasPermission('flows:switch')) return children
  return (
    <Text fz="sm" c="dimmed" mt="md">
      Only the owner or an admin can start or stop a control group.
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
      Everyone gets messages from now on. The result so far is kept. Shoppers whose period is not over are excluded, and
      the narrower range of the planned end is never shown.
    </Confirm>
  )
}

/** The full result, if there is one. */
function Last({ past: [newest] }: { past: ExperimentView[] }) {
  if (!newest || chooseMeasure(newest) === null) return null
  return (
    <>
      <Title order={2} mt="sm">
        Result of the last control group
      </Title>
      <Result experiment={newest} order={3} />
    </>
  )
}

const ENDS = { planned: 'ended as planned', stopped: 'stopped', changed: 'replaced with another share' }

function PastGroups({ past }: { past: ExperimentView[] }) {
  if (past.length === 0) return null
  const [newest, ...older] = past
  return (
    <Card component="section" aria-label="Earlier control groups">
      <Title order={2} mb="sm">
        Earlier control groups
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
  <section className="lift-quiet" aria-label="How it is measured">
    <Title order={2} mb="sm">
      How it is measured
    </Title>
    <List spacing={6} fz="sm">
      <List.Item>Shoppers are put into the control group at random. They get no automatic messages.</List.Item>
      <List.Item>
        Orders of both groups count the same way: for a fixed number of days per shopper, matched by email, phone or
        customer number. Clicks and coupons don’t matter.
      </List.Item>
      <List.Item>
        The difference is what your messages cause. The range holds the true value in 95 of 100 cases.
      </List.Item>
      <List.Item>Carts that already had a message keep getting them and are not counted.</List.Item>
      <List.Item>The control group can cost sales. Its cost is shown with the result.</List.Item>
    </List>
  </section>
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
      <Card component="section" aria-label="Both groups">
        <Title order={order} mb="md">
          Shoppers who bought
        </Title>
        <GroupBars experiment={experiment} />
      </Card>
      <div className="lift-measures">
        <MeasureCard experiment={experiment} measure="revenue" title="Revenue" order={order} />
        <MeasureCard experiment={experiment} measure="conversion" title="Purchases" order={order} />
      </div>
      <Details experiment={experiment} order={order} />
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
      {planned && <MeasureResult experiment={experiment} measure={measure} by="planned" hasName />}
      <MeasureResult experiment={experiment} measure={measure} by="anytime" hasName={hasResult(experiment, measure)} />
    </Card>
  )
}

interface ResultProps {
  experiment: ExperimentView
  measure: Measure
  by: keyof typeof rangeTexts
  hasName: boolean
}

function MeasureResult({ experiment, measure, by, hasName }: ResultProps) {
  const interval = experiment[measure][by]
  return (
    <div className="lift-result">
      <Text>{describeMeasure(experiment, measure, by)}</Text>
      {interval && <IntervalPicture interval={interval} format={getBoundFormats(measure, experiment.currency)} />}
      {hasName && (
        <Text fz="xs" c="dimmed">
          {rangeTexts[by]}
        </Text>
      )}
    </div>
  )
}

function Details({ experiment, order }: { experiment: ExperimentView; order: 2 | 3 }) {
  return (
    <section className="lift-quiet" aria-label="Details">
      <Title order={order} mb="sm">
        Details
      </Title>
      <Facts entries={listDetails(experiment)} />
    </section>
  )
}

function listDetails(experiment: ExperimentView): [string, ReactNode][] {
  const { currency, windowDays, capAmount, overridden, leftOut, drawnEarlier, attributedAmount, health } = experiment
  const counted = experiment.people.control > 0
  return [
    ...(counted ? ([['Cost of the control group', describeCost(experiment)]] as [string, ReactNode][]) : []),
    ['Orders count for', `${formatCounted(windowDays, 'day')} per shopper`],
    ...(capAmount === null
      ? []
      : ([['Maximum per shopper', formatMoney(capAmount, currency)]] as [string, ReactNode][])),
    ['Group sizes', healthTexts[health]],
    ...(overridden === 0
      ? []
      : ([['Sent to manually', `${formatCounted(overridden, 'shopper')} of the control group`]] as [
          string,
          ReactNode,
        ][])),
    ...(leftOut === 0
      ? []
      : ([['Excluded', `${formatCounted(leftOut, 'shopper')}: team members, or period cut short`]] as [
          string,
          ReactNode,
        ][])),
    ...(drawnEarlier === 0
      ? []
      : ([['In an earlier group', `${formatCounted(drawnEarlier, 'shopper')}, not compared`]] as [
          string,
          ReactNode,
        ][])),
    [
      'Attributed revenue',
      <span key="attributed">
        {formatMoney(attributedAmount, currency)},{' '}
        <Anchor component={Link} to="/analytics" inherit underline="always">
          another measure
        </Anchor>
        : it includes orders that would have come anyway
      </span>,
    ],
  ]
}

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
    announce(isChange ? 'New control group started' : 'Control group started')
  }
  const problem = checkDays(days)
  const previewDays = problem ? PLANNED_DAYS : Number(days)
  const isSame = isChange && Number(share) === known.running?.sharePercent
  return (
    <Confirm
      opened={opened}
      title={isChange ? 'Change the share' : 'Start a control group'}
      confirmLabel={isChange ? 'Start again' : 'Start'}
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
            The current control group ends now and keeps its result. A new one starts with other shoppers.
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
                label={`${choice.sharePercent}% of shoppers${choice.sharePercent === known.proposedPercent ? ' (recommended for your store)' : ''}`}
                // Show no estimate for invalid durations.
                description={problem ? null : describeChoice(choice, previewDays)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <NumberInput
          label="Ends after"
          suffix=" days"
          description={`${MIN_PLANNED_DAYS} to ${MAX_PLANNED_DAYS} days. Then everyone gets messages again, and a narrower range is shown.`}
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
          The control group is chosen at random. Flows, campaigns and push notifications skip it; manual messages are
          still possible.
        </Text>
      </Stack>
    </Confirm>
  )
}
