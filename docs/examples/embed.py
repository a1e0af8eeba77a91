"""The water in a window of your own: glfw and moderngl make the window, waterview draws into it. Click to drop."""

import glfw
import moderngl

from waterview import Drop, OrbitCamera, Renderer, Simulation, WaveEquationWater, pick

glfw.init()
for hint, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3),
                    (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE), (glfw.OPENGL_FORWARD_COMPAT, True)):  # fmt: skip
    glfw.window_hint(hint, value)
window = glfw.create_window(960, 540, "A pool in my own program", None, None)
glfw.make_context_current(window)
glfw.swap_interval(1)
ctx = moderngl.create_context(require=330)

renderer = Renderer(ctx)
water = WaveEquationWater(12.0, 9.0, 257, origin=(-6.0, 0.0, -4.5), wave_speed=1.5, border="reflecting")
with Simulation(water) as simulation:  # steps the water in real time, on a thread of its own
    camera = OrbitCamera.framing(simulation.latest())

    def drop_where_clicked(window, button, action, modifiers):
        """Let a drop fall on what lies under the mouse."""
        if action == glfw.PRESS:
            ray = camera.ray(*glfw.get_cursor_pos(window), glfw.get_window_size(window))
            hit = pick(simulation.latest(), *ray)
            if hit is not None:
                simulation.post(Drop(hit.x, hit.z, height=0.15, radius=0.5))

    glfw.set_mouse_button_callback(window, drop_where_clicked)
    while not glfw.window_should_close(window):
        renderer.render(simulation.latest(), camera, glfw.get_framebuffer_size(window), ctx.screen)
        glfw.swap_buffers(window)
        glfw.poll_events()
glfw.terminate()
