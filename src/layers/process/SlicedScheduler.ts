/**
 * Runs fibers in slices of time, so that the event loop gets a turn often enough for signals and timers to be noticed.
 *
 * Effect's own scheduler counts operations, and starts from zero after each awaited promise: a loop that awaits a resolved
 * promise for each of its files never yields.
 */
import { type Fiber, Layer, Scheduler } from "effect"

/** How long fibers run before the event loop gets a turn (ms). A single operation is not interrupted. */
const slice = 10

class SlicedScheduler extends Scheduler.MixedScheduler {
  private since = performance.now()

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return performance.now() - this.since > slice || super.shouldYield(fiber)
  }

  override makeDispatcher() {
    const dispatcher = super.makeDispatcher()
    const scheduleTask = dispatcher.scheduleTask.bind(dispatcher)
    dispatcher.scheduleTask = (task, priority) =>
      scheduleTask(() => {
        this.since = performance.now()
        task()
      }, priority)
    return dispatcher
  }
}

export const layer = Layer.succeed(Scheduler.Scheduler, new SlicedScheduler())
