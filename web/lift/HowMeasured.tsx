import { Card, List, Title } from '@mantine/core'

/** Explains how the figures are measured, for owners (docs/lift.md). */
export const HowMeasured = () => (
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
