import { Button, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconMinus } from '@tabler/icons-react'
import { type PlanKey, plans } from '../../shared/billing.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { limitLines, monthlyPrice } from './rules.ts'

interface Props {
  planKey: PlanKey
  isYearly: boolean
  isCurrent: boolean
  isBusy: boolean
  isTestMode: boolean
  mayPay: boolean
  supportEmail: string | undefined
  onChoose: () => void
}

export function PlanCard(props: Props) {
  const plan = plans[props.planKey]
  return (
    <Card padding="xl" h="100%">
      <Stack gap="md" h="100%">
        <Group justify="space-between">
          <Title order={2}>{plan.name}</Title>
          {props.isCurrent && <StatusBadge tone="good" icon={IconCircleCheck} label="Your plan" />}
        </Group>
        <div>
          <Text span fz={34} fw={700} className="tabular" lh={1}>
            ${monthlyPrice(plan.priceMonthly, props.isYearly)}
          </Text>
          <Text span c="dimmed">
            {' '}
            /month
          </Text>
          <Text fz="sm" c="dimmed" mih={22}>
            {props.isYearly && plan.priceMonthly > 0 ? 'Billed yearly' : ''}
          </Text>
        </div>
        <List
          spacing={8}
          fz="sm"
          center
          icon={<IconCheck size={16} color="var(--rc-accent)" aria-hidden style={{ display: 'block' }} />}
          style={{ flex: 1 }}
        >
          {[...limitLines(plan.limits), ...plan.features].map((line) => (
            <List.Item
              key={line}
              {...(line.startsWith('No ') && {
                c: 'dimmed',
                icon: <IconMinus size={16} aria-hidden style={{ display: 'block' }} />,
              })}
            >
              {line}
            </List.Item>
          ))}
        </List>
        <Choice {...props} />
      </Stack>
    </Card>
  )
}

function Choice({ planKey, isCurrent, isBusy, isTestMode, mayPay, supportEmail, onChoose }: Props) {
  const { name } = plans[planKey]
  if (isCurrent) return <Hint>This is your current plan.</Hint>
  // Whom to ask instead stands above the plans.
  if (!mayPay) return null
  if (planKey === 'free') {
    return (
      <Button onClick={onChoose} loading={isBusy} fullWidth>
        Start with {name}
      </Button>
    )
  }
  if (isTestMode) {
    return (
      <Button variant="light" onClick={onChoose} fullWidth>
        Choose {name}
      </Button>
    )
  }
  return (
    <Hint>
      This plan cannot be bought by card yet.
      {supportEmail && (
        <>
          {' '}
          Write to <a href={`mailto:${supportEmail}?subject=${name} plan`}>{supportEmail}</a> to get this plan.
        </>
      )}
    </Hint>
  )
}

const Hint = ({ children }: { children: React.ReactNode }) => (
  <Text fz="sm" c="dimmed">
    {children}
  </Text>
)
