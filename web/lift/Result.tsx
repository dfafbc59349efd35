import { Anchor, Card, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { ExperimentView } from '../../shared/experiments.ts'
import { formatCounted, formatMoney } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import { describeCost, describeMeasure, getBoundFormats, healthTexts, isShown, type Measure } from './copy.ts'
import { IntervalPicture } from './IntervalPicture.tsx'

/** Result of one control group: both measures with their named intervals. */
export function Result({ experiment, order = 2 }: { experiment: ExperimentView; order?: 2 | 3 }) {
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
      {planned && <Look experiment={experiment} measure={measure} by="planned" name="On the day you planned" />}
      <Look
        experiment={experiment}
        measure={measure}
        by="anytime"
        {...(isShown(experiment, measure) && { name: 'If you look whenever you like' })}
      />
      {measure === 'revenue' && experiment.people.control > 0 && (
        <Text fz="sm" c="dimmed" mt="sm">
          {describeCost(experiment)}
        </Text>
      )}
    </Card>
  )
}

interface LookProps {
  experiment: ExperimentView
  measure: Measure
  by: 'anytime' | 'planned'
  name?: string
}

function Look({ experiment, measure, by, name }: LookProps) {
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
