import {
  Anchor,
  Button,
  Card,
  Group,
  List,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconArrowLeft, IconCheck } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { type BillingCycle, MAX_EXTRA_STORES, plans } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import { Money } from '../ui/Money.tsx'
import { Notice } from '../ui/Notice.tsx'
import { type Choice, describeExtraStore } from './change-copy.ts'
import { useCheckout } from './checkout.ts'
import { buildChoiceAddress, buildOrder, describeToday } from './pricing-rules.ts'
import { listLimits } from './rules.ts'

interface Props {
  choice: Choice
  isTest: boolean
  hasUsedTrial: boolean
}

/**
 * Order summary before paying at Stripe (A 2.6, decision 84). The address holds the choice, so going back restores it.
 */
export function CheckoutStep({ choice, isTest, hasUsedTrial }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Only the query string changed, so move the focus and announce the step.
  useEffect(() => heading.current?.focus(), [])
  return (
    <Stack gap="lg">
      <div>
        <Anchor component={Link} to={`/pricing?cycle=${choice.cycle}`} fz="sm">
          <IconArrowLeft size={14} aria-hidden /> All plans
        </Anchor>
        <Title order={1} fz={28} mt="xs" ref={heading} tabIndex={-1} className="step-title">
          {billingTexts.completePurchase}
        </Title>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <ChosenPlan choice={choice} isTest={isTest} />
        <Order choice={choice} isTest={isTest} hasUsedTrial={hasUsedTrial} />
      </SimpleGrid>
    </Stack>
  )
}

function ChosenPlan({ choice, isTest }: { choice: Choice; isTest: boolean }) {
  const navigate = useNavigate()
  const { name, limits, features } = plans[choice.plan]
  const change = (changed: Partial<Choice>) =>
    navigate(buildChoiceAddress({ ...choice, ...changed }), { replace: true })
  return (
    <Card padding="xl">
      <Stack gap="md">
        <Title order={2}>{name}</Title>
        <Text c="dimmed">{listLimits(limits).join(' · ')}</Text>
        <List
          spacing={8}
          center
          icon={<IconCheck size={16} color="var(--rc-accent)" aria-hidden style={{ display: 'block' }} />}
        >
          {features.slice(0, 5).map((feature) => (
            <List.Item key={feature}>{feature}</List.Item>
          ))}
        </List>
        <SegmentedControl
          aria-label="Billing period"
          value={choice.cycle}
          onChange={(cycle) => change({ cycle: cycle as BillingCycle })}
          data={[
            { value: 'month', label: 'Monthly' },
            { value: 'year', label: `Yearly · ${billingTexts.save}` },
          ]}
        />
        {!isTest && (
          <NumberInput
            label="Extra stores"
            description={describeExtraStore(choice.cycle)}
            min={0}
            max={MAX_EXTRA_STORES}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            value={choice.extraStores}
            onChange={(value) => change({ extraStores: Number(value) || 0 })}
            w={280}
            maw="100%"
          />
        )}
      </Stack>
    </Card>
  )
}

function Order({ choice, isTest, hasUsedTrial }: Props) {
  const { lines, total } = buildOrder(choice)
  const { dueNow, notes } = describeToday(total, choice.cycle, isTest ? 'test' : hasUsedTrial ? 'paid' : 'trial')
  const { isBusy, problem, go } = useCheckout()
  const navigate = useNavigate()
  const toTestPage = () => navigate(`/test-subscription?plan=${choice.plan}&cycle=${choice.cycle}`)
  return (
    <Card padding="xl">
      <Stack gap="md">
        <Title order={2}>Summary</Title>
        <dl className="order">
          {lines.map(({ label, amount }) => (
            <Line key={label} label={label} amount={amount} />
          ))}
          <Line label={choice.cycle === 'year' ? 'Total per year' : 'Total per month'} amount={total} isSum />
          <Line label="Due today" amount={dueNow} isSum />
        </dl>
        {notes.map((note) => (
          <Text key={note} fz="sm" c="dimmed">
            {note}
          </Text>
        ))}
        {problem && (
          <Notice tone="bad" isLive>
            {problem}
          </Notice>
        )}
        <Group>
          <Button size="md" loading={isBusy} onClick={isTest ? toTestPage : () => go(choice)}>
            {isTest ? 'Continue to the test page' : hasUsedTrial ? 'Continue to payment' : 'Start free trial'}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}

const Line = ({ label, amount, isSum }: { label: string; amount: number; isSum?: boolean }) => (
  <div data-sum={isSum}>
    <dt>{label}</dt>
    <dd>
      <Money amount={amount / 100} currency="USD" />
    </dd>
  </div>
)
