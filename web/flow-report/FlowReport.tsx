import '../analytics/analytics.css'
import './flow-report.css'
import { Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type FlowReport as Report, reportDays } from '../../shared/flow-report.ts'
import type { FlowView } from '../../shared/flows.ts'
import { Bar, FactList, Term } from '../analytics/parts.tsx'
import { type ReportDays, useFlowReport } from '../flows/queries.ts'
import { formatCount, formatCounted, formatDay, formatMoney } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { BASES, buildFunnel, computeWidth, nameStep, reportDefinitions, type StepFigures, sumSteps } from './rules.ts'
import { Variants } from './Variants.tsx'

/** Results of a flow's messages, step by step. `isEdited`: the flow has unsaved changes. */
export function FlowReport({ flow, isEdited }: { flow: FlowView; isEdited: boolean }) {
  const [days, setDays] = useState<ReportDays>(30)
  const report = useFlowReport(flow.id, days)
  return (
    <Card component="section" aria-label="Report">
      <Group justify="space-between" gap="sm" mb="md">
        <Title order={2}>Report</Title>
        <SegmentedControl
          size="xs"
          aria-label="Days of the report"
          value={String(days)}
          onChange={(value) => setDays(Number(value) as ReportDays)}
          data={reportDays.map((value) => ({ value: String(value), label: `${value} days` }))}
        />
      </Group>
      <Loaded query={report} loading={<LoadingList count={4} />} failed="The report could not be loaded">
        {(data) => <Content report={data} flow={flow} isEdited={isEdited} />}
      </Loaded>
    </Card>
  )
}

function Content({ report, flow, isEdited }: { report: Report; flow: FlowView; isEdited: boolean }) {
  const { steps, currency, from, to, countedAt } = report
  const total = sumSteps(steps)
  return (
    <Stack gap="lg">
      <Text fz="sm">
        <strong className="tabular">{formatMoney(total.revenue, currency)}</strong> from{' '}
        {formatCounted(total.orders, 'order')}, for messages of {formatDay(from)} to {formatDay(to)}.{' '}
        <Text span fz="sm" c="dimmed">
          {countedAt === null ? (
            'Nothing was counted yet.'
          ) : (
            <>
              Counted <TimeAgo at={countedAt} />.
            </>
          )}
        </Text>
      </Text>
      <Text fz="xs" c="dimmed">
        {BASES}
      </Text>
      {steps.map((step) => (
        <Step key={step.stepId} step={step} flow={flow} currency={currency} isEdited={isEdited} />
      ))}
    </Stack>
  )
}

interface StepProps {
  step: StepFigures
  flow: FlowView
  currency: string
  isEdited: boolean
}

function Step({ step, flow, currency, isEdited }: StepProps) {
  const { revenue, revenuePerRecipient, unsubscribed, variants } = step
  return (
    <section className="report-step" aria-label={nameStep(step)}>
      <h3 className="block-title">{nameStep(step)}</h3>
      {step.planned + step.sent + step.skipped.length === 0 ? (
        <Text fz="sm" c="dimmed" mt="xs">
          No messages in this period.
        </Text>
      ) : (
        <>
          <ul className="funnel" aria-label="From planned to orders">
            {buildFunnel(step).map(({ key, label, shown, width }) => (
              <li key={key}>
                <Term label={label} definition={reportDefinitions[key]} />
                <span className="funnel-count">{shown}</span>
                <Bar width={width} />
              </li>
            ))}
          </ul>
          <FactList
            facts={[
              { label: 'Revenue', definition: reportDefinitions.revenue, value: formatMoney(revenue, currency) },
              {
                label: 'Revenue per recipient',
                definition: reportDefinitions.revenuePerRecipient,
                value: revenuePerRecipient === null ? '–' : formatMoney(revenuePerRecipient, currency),
              },
              { label: 'Unsubscribed', definition: reportDefinitions.unsubscribed, value: formatCount(unsubscribed) },
            ]}
          />
          <SkippedMessages step={step} />
          {variants.length > 1 && <Variants step={step} flow={flow} currency={currency} isEdited={isEdited} />}
        </>
      )}
    </section>
  )
}

/** Bars from zero, as shares of all unsent messages. */
function SkippedMessages({ step: { skipped } }: { step: StepFigures }) {
  if (skipped.length === 0) return null
  const whole = skipped.reduce((sum, { count }) => sum + count, 0)
  return (
    <div>
      <Text fz="sm" component="h4" m={0}>
        <Term
          label={`Not sent: ${formatCount(whole)} closed in these days, by reason`}
          definition={reportDefinitions.skipped}
        />
      </Text>
      <ul className="coverage">
        {skipped.map(({ reason, explanation, count }) => (
          <li key={reason}>
            <span>{explanation}</span>
            <span className="number">{formatCount(count)}</span>
            <Bar width={computeWidth(count, whole)} />
          </li>
        ))}
      </ul>
    </div>
  )
}
