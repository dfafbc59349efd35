import { Anchor, Box, Card, Group, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { ExperimentView } from '../../../shared/carts/experiments.ts'
import {
  chooseMeasure,
  describeBefore,
  describeMeasure,
  findNewestResult,
  getBoundFormats,
  healthTexts,
  rangeTexts,
} from './copy.ts'
import { GroupBars } from './GroupBars.tsx'
import { IntervalPicture } from './IntervalPicture.tsx'
import { useExperiments } from './queries.ts'

/** On the flows page: what a control group could detect, or has measured. */
export function LiftCard() {
  const experiments = useExperiments().data
  if (!experiments) return null
  const experiment = experiments.running ?? findNewestResult(experiments)
  return (
    <Section title="Lift">
      {experiment ? <ResultText experiment={experiment} /> : <Text>{describeBefore(experiments)}</Text>}
      {experiments.running && (
        <Text fz="sm" c="dimmed" mt={4}>
          {experiments.running.sharePercent}% of shoppers are in the control group and get no messages.
        </Text>
      )}
    </Section>
  )
}

/** Shown beside revenue, only if there is a result. */
export function LiftResultCard() {
  const experiments = useExperiments().data
  const experiment = experiments && findNewestResult(experiments)
  if (!experiment) return null
  return (
    <Section title="Incremental">
      <ResultText experiment={experiment} />
    </Section>
  )
}

const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <Card component="section" aria-label="Lift">
    <Group justify="space-between" gap="xs" mb={4}>
      <Title order={2}>{title}</Title>
      <Anchor component={Link} to="/flows/lift" fz="sm">
        How it is measured
      </Anchor>
    </Group>
    {children}
  </Card>
)

function ResultText({ experiment }: { experiment: ExperimentView }) {
  const measure = chooseMeasure(experiment)
  if (experiment.health === 'off') return <Text>{healthTexts.off}</Text>
  if (!measure) {
    return (
      <>
        <Text>{describeMeasure(experiment, 'conversion')}</Text>
        {experiment.people.control > 0 && <Bars experiment={experiment} />}
      </>
    )
  }
  const by = experiment[measure].planned ? 'planned' : 'anytime'
  return (
    <>
      <Text>{describeMeasure(experiment, measure, by)}</Text>
      <Bars experiment={experiment} />
      <IntervalPicture interval={experiment[measure][by]!} format={getBoundFormats(measure, experiment.currency)} />
      <Text fz="xs" c="dimmed" mt={4}>
        {rangeTexts[by]}
      </Text>
    </>
  )
}

const Bars = ({ experiment }: { experiment: ExperimentView }) => (
  <Box mt="md">
    <GroupBars experiment={experiment} />
  </Box>
)
