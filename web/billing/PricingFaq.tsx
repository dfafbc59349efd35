import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { pricingQuestions } from './pricing-faq.ts'

export const PricingFaq = () => (
  <section aria-labelledby="questions">
    <Title order={2} id="questions" mb="sm">
      Questions
    </Title>
    <div className="questions">
      {pricingQuestions.map(({ question, answer }) => (
        <div key={question}>
          <Title order={3}>{question}</Title>
          <Text c="dimmed" mt={4}>
            {answer}
          </Text>
        </div>
      ))}
    </div>
  </section>
)

/** Custom pricing and support. `supportLink` includes the current plan in the mail. */
export const PricingContact = ({ supportEmail, supportLink }: { supportEmail: string; supportLink: string }) => (
  <Card component="section" aria-labelledby="contact" padding="lg">
    <Group justify="space-between" gap="md">
      <Stack gap={4} style={{ flex: '1 1 300px' }}>
        <Title order={2} id="contact">
          Need something else?
        </Title>
        <Text c="dimmed">
          For more stores or messages than a plan has, ask for{' '}
          <Anchor underline="always" href={`mailto:${supportEmail}?subject=${encodeURIComponent('Custom pricing')}`}>
            custom pricing
          </Anchor>
          .
        </Text>
      </Stack>
      <Text>
        Support:{' '}
        <Anchor underline="always" href={supportLink}>
          {supportEmail}
        </Anchor>
      </Text>
    </Group>
  </Card>
)
