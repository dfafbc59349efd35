import { Button, Card, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useHasPermission, useStore } from '../access/queries.ts'
import { useFlows } from '../flows/queries.ts'
import { useMailServer } from '../stores/mail-server-queries.ts'
import { useStoreHealth } from '../stores/queries.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { buildFirstSteps, type FirstStep, isSetupOpen } from './first-steps.ts'

/** Shown instead of zeros: the steps until the first recovered cart. */
export function FirstSteps() {
  const store = useStore()
  const health = useStoreHealth()
  const flows = useFlows()
  const mail = useMailServer()
  if (!store || health.isPending || flows.isPending || mail.isPending) {
    return (
      <Card>
        <LoadingList count={6} />
      </Card>
    )
  }
  const steps = buildFirstSteps({ store, health: health.data, flows: flows.data?.flows, mail: mail.data })
  return <Steps steps={steps} more="Your figures appear here after the first abandoned cart." />
}

/** Shown above the figures of a store with carts but an unfinished set-up, to members who may finish it. */
export function OpenSetup() {
  const store = useStore()
  const health = useStoreHealth()
  const flows = useFlows()
  const mail = useMailServer()
  const maySetUp = useHasPermission('flows:switch')
  const known = store && { store, flows: flows.data?.flows, mail: mail.data }
  if (!known || !maySetUp || health.isPending || !isSetupOpen(known)) return null
  return <Steps steps={buildFirstSteps({ ...known, health: health.data, hasCarts: true })} />
}

function Steps({ steps, more }: { steps: FirstStep[]; more?: string }) {
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Card className="first-steps">
      <Title order={2}>Get ready to win carts back</Title>
      <Text c="dimmed" mt={4} mb="md">
        {done} of {steps.length} steps are done. {more}
      </Text>
      <ol className="steps">
        {steps.map((step) => (
          <Step key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  )
}

function Step({ step, isNext }: { step: FirstStep; isNext: boolean }) {
  const Sign = step.isDone ? IconCircleCheckFilled : IconCircle
  return (
    <li className="step" data-done={step.isDone}>
      <Sign size={20} aria-hidden />
      <div className="step-words">
        <Text fw={600}>
          {step.title}
          <span className="only-read">{step.isDone ? ' (done)' : ' (to do)'}</span>
        </Text>
        <Text fz="sm" c="dimmed">
          {step.text}
        </Text>
      </div>
      {step.way && !step.isDone && (
        <Button component={Link} to={step.way.to} size="xs" variant={isNext ? 'filled' : 'default'}>
          {step.way.label}
        </Button>
      )}
    </li>
  )
}
