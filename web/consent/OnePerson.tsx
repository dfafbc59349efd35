import { Card, Text, Title } from '@mantine/core'

export function OnePerson() {
  return (
    <Card>
      <Title order={2}>One person</Title>
      <Text fz="sm" c="dimmed" mt={4}>
        What is kept about one shopper: to read, to hand over, to erase.
      </Text>
    </Card>
  )
}
