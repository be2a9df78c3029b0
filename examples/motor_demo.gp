# Plots what motor_demo wrote into the folder `folder`: gnuplot -e "folder='report'" examples/motor_demo.gp
set terminal pngcairo size 1000,800 font "DejaVu Sans,13"
set output folder."/motor_demo.png"
set title "A motor of G(3,0,1) moves a point cloud along a screw motion"
set view 62, 38
set view equal xyz
set xyplane relative 0.05
set xlabel "x"; set ylabel "y"; set zlabel "z"
set grid x y z vertical lc rgb "#dddddd"
set border 127 lc rgb "#999999"
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#fde725")
set cbrange [0:1]
set cblabel "part of the way"
set key at screen 0.2, 0.9
splot folder."/motor_demo_axis.dat" with lines lw 3 lc rgb "#d62728" title "axis", \
      folder."/motor_demo.dat" using 1:2:3:4 with points pt 7 ps 0.45 palette notitle
