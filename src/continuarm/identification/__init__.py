"""An arm from measured motion: recordings in, the arm and its errors out.

fit.identify does it all, in this order:

    sensors, recording         what was measured, and what drove the arm
    measurement_units          mm, deg, kPa ... and SI
    recording_file             recordings as CSV tables
    recording_checks           wrong units are refused
    synthetic_recordings       recordings of an arm that is known

    search_numbers             what is asked for: names, bounds, starts
    fittable_parameters        all that can be fitted, by name: a new one is added here
    free_parameters            those of one fit, as numbers x of a search

    simulated_tracks           the motion of an arm under the commands of a recording
    sensor_frame_and_delay     from that motion to readings of the sensors
    sensor_comparison          measured less simulated
    outliers                   how they lose their weight, and which samples count as such
    stuck_sensors              samples that are left out
    sensor_noise, table_noise  given, or estimated
    residual_function          what the search makes small, and its Jacobian
    resting_shapes             where a run stands still: what the search begins with
    parameter_search           the search itself: rest, motion, all together

    serial_correlation         residuals that follow their neighbours in time
    parameter_covariance       errors, and directions that stay undetermined
    undetermined_parameters    these directions in words
    fitted_parameters          values with errors and intervals
    traded_parameters          pairs that are hardly told apart, and what would part them
    goodness_of_fit            misfits against noise: distances, and what of them is no noise
    missing_effects            effects that are left out, and would explain what is left
    misfit_findings            misfits in words
    findings, end_of_fit       all that is to be said, and the verdict
    recorded_commands          what drove the arm, as it was read
    result                     Identification
    html_report, report_figures
    fitted_rig                 what was found of the laboratory, kept with the arm

validation.validate predicts recordings with an arm as it is:

    predicted_sensors          how far a sensor is from its prediction
    validation                 all of them: Validation
    validation_report, validation_figures
"""
