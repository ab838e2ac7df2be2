/**
 * Runs fibers in slices of time, so that the event loop notices signals and timers in time.
 *
 * Effect's own scheduler counts operations, and starts from zero after each awaited promise: a loop that awaits a
 * resolved promise for each of its files never yields.
 */
import { type Fiber, Layer, Scheduler } from "effect"

/** How long all runnable fibers together run before the event loop continues (ms). An operation is not interrupted. */
const slice = 10

class SlicedScheduler extends Scheduler.MixedScheduler {
  private since = performance.now()
  /** Tasks that are scheduled but have not begun: each is a fiber that is runnable before the event loop continues. */
  private waiting = 0

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return performance.now() - this.since > slice / (this.waiting + 1) || super.shouldYield(fiber)
  }

  override makeDispatcher() {
    const dispatcher = super.makeDispatcher()
    const scheduleTask = dispatcher.scheduleTask.bind(dispatcher)
    dispatcher.scheduleTask = (task, priority) => {
      this.waiting++
      scheduleTask(() => {
        this.waiting--
        this.since = performance.now()
        task()
      }, priority)
    }
    return dispatcher
  }
}

export const layer = Layer.succeed(Scheduler.Scheduler, new SlicedScheduler())
